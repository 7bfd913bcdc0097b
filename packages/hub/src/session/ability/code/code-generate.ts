import type { AbilityTool } from '../ability-tool.ts'
import { adoptResult } from '../adopt-result.ts'
import { renderCodeChanges, toCodeChanges } from './code-changes.ts'

const instructions =
  'Write code into the workspace. Look at what is there first and follow its style. Use the tools to write files; code ' +
  'in your answer is not written anywhere. When you are done, say in a few sentences what you changed and why.'

export const codeGenerate: AbilityTool<'code.generate'> = {
  name: 'code.generate',
  title: 'Write code',
  description:
    'Writes code into a workspace as it was specified. All changes are written together at the end, or none.',
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  async run({ spec, path_globs: writeGlobs, test_expectations: expected, options }, job) {
    const prompt = [
      spec,
      expected === undefined ? '' : `Tests have to show this:\n${expected}`,
      writeGlobs === undefined ? '' : `You may only write files that match: ${writeGlobs.join(', ')}`,
    ]
    const work = await job.work({
      text: spec,
      prompt: prompt.filter((part) => part !== '').join('\n\n'),
      instructions,
      needs: 'write',
      writeGlobs,
      isDryRun: options?.dry_run,
    })
    const output = adoptResult('code.generate', work) ?? toCodeChanges(work)
    return { text: renderCodeChanges(output), output, work }
  },
}
