import type { CallStep, Pipeline, Step } from '@herma/contract'
import { conditionTemplates } from './check-condition.ts'
import { templatePaths } from './render-template.ts'
import { splitPath } from '../value/value-path.ts'

/** What `{{ steps.id. … }}` may go on with. */
const outcomeFields = ['text', 'structured', 'json', 'content', 'isError', 'items']

/** What keeps a pipeline from working, found without running it. */
export function pipelineProblems(pipeline: Pipeline): string[] {
  const problems: string[] = []
  const done = new Set<string>()
  for (const step of pipeline.steps) {
    const calls = callsOf(step)
    for (const call of calls) problems.push(...stepProblems(call, done))
    for (const { id } of calls) {
      if (done.has(id)) problems.push(`Two steps have the id '${id}'. Rename one of them.`)
      done.add(id)
    }
  }
  problems.push(...pathProblems(pipeline.result, { where: 'The result', done, hasItem: false }))
  return problems
}

export function callsOf(step: Step): readonly CallStep[] {
  return 'parallel' in step ? step.parallel : [step]
}

function stepProblems(step: CallStep, done: ReadonlySet<string>): string[] {
  const name = `Step '${step.id}'`
  return [
    ...pathProblems(step.arguments, { where: name, done, hasItem: step.forEach !== undefined }),
    ...pathProblems(step.forEach, { where: `forEach of step '${step.id}'`, done, hasItem: false }),
    ...pathProblems(step.when === undefined ? [] : conditionTemplates(step.when), {
      where: `when of step '${step.id}'`,
      done,
      hasItem: false,
    }),
  ]
}

interface Place {
  readonly where: string
  readonly done: ReadonlySet<string>
  readonly hasItem: boolean
}

function pathProblems(template: unknown, place: Place): string[] {
  return templatePaths(template).flatMap((path) => {
    const problem = pathProblem(path, place)
    return problem === undefined ? [] : [`${place.where} uses {{ ${path} }}, ${problem}.`]
  })
}

function pathProblem(path: string, { done, hasItem }: Place): string | undefined {
  const [root, id, field] = splitPath(path)
  switch (root) {
    case 'input':
      return undefined
    case 'item':
    case 'index':
      return hasItem ? undefined : 'which exists in the arguments of a step with forEach alone'
    case 'steps':
      if (id === undefined || !done.has(id)) return 'which names no step that is done by then'
      if (field === undefined || outcomeFields.includes(field)) return undefined
      return `but a step has only ${outcomeFields.join(', ')}`
    default:
      return 'but a path begins with input, steps, item or index'
  }
}
