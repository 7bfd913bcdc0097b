import { hasPlace } from '../../work/open-place.ts'
import type { AbilityTool } from '../ability-tool.ts'
import { adoptResult } from '../adopt-result.ts'

const instructions =
  'Somebody asks for advice about code. Read what you need before you answer, name files and lines, and say plainly ' +
  'what you could not find out. Do not change anything.'

export const codeAdvice: AbilityTool<'code.advice'> = {
  name: 'code.advice',
  title: 'Advice about code',
  description: 'Answers a question about the code of a workspace, and names the files that it read for it.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run({ question, path_globs: globs = [] }, job) {
    const prompt = globs.length === 0 ? question : `${question}\n\nLook first at: ${globs.join(', ')}`
    const needs = hasPlace(job.session, job.place) ? 'read' : 'none'
    const work = await job.work({ text: question, prompt, instructions, needs })
    const output = adoptResult('code.advice', work) ?? { advice: work.text, files_read: [...work.filesRead] }
    return { text: output.advice, output, work }
  },
}
