import { HubError, type CallStep, type Pipeline } from '@herma/contract'
import type { Arguments } from '../../core/own-tool.ts'
import { argumentProblems } from '../value/argument-problems.ts'
import { checkCondition } from './check-condition.ts'
import { missingInput } from './create-pipeline.ts'
import { decodeArguments } from '../value/decode-json-text.ts'
import type { DescribeMember } from '../member.ts'
import { callsOf, pipelineProblems } from './pipeline-problems.ts'
import { maxItems } from './pipeline-run.ts'
import { findIn, renderTemplate, type Find } from './render-template.ts'

export interface DryStep {
  readonly id: string
  readonly server?: string
  readonly tool: string
  readonly runs: 'yes' | 'no' | 'depends'
  /** How often the tool would be called; null when that is not known before. */
  readonly callCount: number | null
  /** The arguments of the first calls. What is not known before running stands there as `{{ … }}`. */
  readonly calls: readonly Arguments[]
  readonly problems: readonly string[]
}

export interface DryRun {
  readonly steps: readonly DryStep[]
  readonly result?: unknown
  readonly problems: readonly string[]
}

const shownCalls = 10

/** What a pipeline would do, without doing any of it. */
export function dryRun(pipeline: Pipeline, args: Arguments, describe: DescribeMember): DryRun {
  const problems = pipelineProblems(pipeline)
  const input = decodeArguments(args, pipeline.inputSchema)
  const missing = missingInput(pipeline, input)
  if (missing !== undefined) problems.push(missing)
  const skipped = new Set<string>()
  const find = findBefore({ input }, skipped)
  const steps = pipeline.steps.flatMap(callsOf).map((step) => {
    const dry = dryStep(step, { input, find, skipped, describe })
    if (dry.runs === 'no') skipped.add(step.id)
    return dry
  })
  const result = attempt(() => renderTemplate(pipeline.result, find), problems)
  return { steps, ...(result === undefined ? {} : { result }), problems }
}

interface Surroundings {
  readonly input: Arguments
  readonly find: Find
  readonly skipped: ReadonlySet<string>
  readonly describe: DescribeMember
}

function dryStep(step: CallStep, { input, find, skipped, describe }: Surroundings): DryStep {
  const problems: string[] = []
  const verdict = step.when === undefined ? true : attempt(() => checkCondition(step.when!, find), problems)
  const runs = verdict === undefined ? 'depends' : verdict ? 'yes' : 'no'
  const head = {
    id: step.id,
    ...(step.server === undefined ? {} : { server: step.server }),
    tool: step.tool,
    runs,
  } as const
  if (runs === 'no') return { ...head, callCount: 0, calls: [], problems }
  const scopes = itemScopes(step, find, problems)
  const calls = (scopes ?? [{}]).slice(0, shownCalls).map((scope) => {
    const known = findBefore({ input, ...scope }, skipped)
    return (attempt(() => renderTemplate(step.arguments, known), problems) ?? {}) as Arguments
  })
  const said = new Set(calls.flatMap((call) => argumentProblems(step, call, describe)))
  return { ...head, callCount: scopes?.length ?? null, calls, problems: [...problems, ...said] }
}

/** What `item` and `index` are for each call; undefined when the list is not known before. */
function itemScopes(step: CallStep, find: Find, problems: string[]): Record<string, unknown>[] | undefined {
  if (step.forEach === undefined) return [{}]
  const list = attempt(() => renderTemplate(step.forEach, find), problems)
  if (typeof list === 'string' && list.includes('{{')) return undefined
  if (!Array.isArray(list)) {
    problems.push(`forEach of step '${step.id}' is ${list === undefined ? 'missing' : 'no list'}.`)
    return []
  }
  if (list.length > maxItems) problems.push(`forEach of step '${step.id}' has more than ${maxItems} items.`)
  return list.map((item: unknown, index) => ({ item, index }))
}

function findBefore(known: Record<string, unknown>, skipped: ReadonlySet<string>): Find {
  const findKnown = findIn(known)
  return (path) => {
    const [root, id] = path.split('.')
    if (root === 'steps') return skipped.has(id ?? '') ? 'missing' : 'unknown'
    return root !== undefined && Object.hasOwn(known, root) ? findKnown(path) : 'unknown'
  }
}

function attempt<T>(work: () => T, problems: string[]): T | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    problems.push(error.message)
    return undefined
  }
}
