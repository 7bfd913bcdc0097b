import { HubError } from '@herma/contract'
import type { AbilityTool } from './ability-tool.ts'
import { adoptResult } from './adopt-result.ts'
import { renderCodeChanges, toCodeChanges } from './code/code-changes.ts'

const instructions =
  'Write tests into the workspace. Find out how its tests are written and named, and do it the same way. Test ' +
  'behaviour, also at the edges, and leave the tested code as it is. Use the tools to write files, run the tests when ' +
  'you can, and say at the end what they cover and what fails.'

export const testsGenerate: AbilityTool<'tests.generate'> = {
  name: 'tests.generate',
  title: 'Write tests',
  description: 'Writes tests for code of a workspace. All changes are written together at the end, or none.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  async run({ target, paths, framework, expectations, options }, job) {
    if (target === undefined && paths === undefined) {
      throw new HubError('INVALID_PARAMS', 'tests.generate needs to know what to test. Give `target` or `paths`.')
    }
    const parts = [
      target === undefined ? '' : `Write tests for: ${target}`,
      paths === undefined ? '' : `Write tests for these files: ${paths.join(', ')}`,
      framework === undefined ? '' : `Use ${framework}.`,
      expectations === undefined ? '' : `They have to show this:\n${expectations}`,
    ]
    const prompt = parts.filter((part) => part !== '').join('\n\n')
    const text = [target, ...(paths ?? [])].filter((part) => part !== undefined).join('\n')
    const work = await job.work({ text, prompt, instructions, needs: 'write', isDryRun: options?.dry_run })
    const output = adoptResult('tests.generate', work) ?? toCodeChanges(work)
    return { text: renderCodeChanges(output), output, work }
  },
}
