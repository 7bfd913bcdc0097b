import type { TaskPlan } from '@herma/contract'
import { hasPlace } from '../work/open-place.ts'
import { answerSchema, type AbilityTool } from './ability-tool.ts'
import { adoptResult, requireStructured } from './adopt-result.ts'

const instructions =
  'Plan a task for others to carry out. Look at the workspace where that helps. Make steps that can be checked, in an ' +
  'order that works, say on which steps each depends by their numbers, and name what could go wrong. Do not change anything.'

export const planTask: AbilityTool<'plan.task'> = {
  name: 'plan.task',
  title: 'Plan a task',
  description: 'Makes a plan: steps with what they depend on and who should do them, and the risks.',
  annotations: { readOnlyHint: true, openWorldHint: true },
  async run({ goal, constraints = [] }, job) {
    const rules = [constraints].flat().map((rule) => `- ${rule}`)
    const prompt = rules.length === 0 ? goal : `${goal}\n\nConstraints:\n${rules.join('\n')}`
    const needs = hasPlace(job.session, job.place) ? 'read' : 'none'
    const responseSchema = answerSchema('plan.task')
    const work = await job.work({ text: goal, prompt, instructions, needs, responseSchema })
    const output =
      work.toolResult === null
        ? requireStructured('plan.task', work)
        : (adoptResult('plan.task', work) ?? { summary: work.text, steps: [], risks: [] })
    return { text: renderPlan(output), output, work }
  },
}

function renderPlan({ summary, steps, risks }: TaskPlan): string {
  const lines = steps.map(({ title, detail, role, depends_on: before }, index) => {
    const who = role === null ? '' : ` (${role})`
    const after = before.length === 0 ? '' : ` [after ${before.join(', ')}]`
    return `${index + 1}. ${title}${who}${after}: ${detail}`
  })
  const list = risks.map((risk) => `- ${risk}`)
  return [summary, lines.join('\n'), list.length === 0 ? '' : `Risks:\n${list.join('\n')}`]
    .filter((part) => part !== '')
    .join('\n\n')
}
