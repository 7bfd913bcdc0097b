import { HubError, type CallStep, type Pipeline } from '@herma/contract'
import { errorResult, type Arguments, type ToolContext, type ToolResult } from '../../core/own-tool.ts'
import { checkCondition } from './check-condition.ts'
import { Deadline, DeadlineError } from './deadline.ts'
import { parseJsonText } from '../value/decode-json-text.ts'
import { limitConcurrency } from './limit-concurrency.ts'
import { memberLabel } from '../member.ts'
import { callsOf } from './pipeline-problems.ts'
import { findIn, renderTemplate } from './render-template.ts'
import { joinedResult, joinOutcomes, toOutcome, type StepOutcome } from './step-outcome.ts'

export const maxItems = 1000
const maxAtOnce = 8
const maxCalls = 5000
const maxKeptChars = 64 * 1024 * 1024
const defaultTotalSeconds = 3600

/** How a step went, for people who look at a result. */
export interface StepRecord {
  readonly id: string
  readonly server?: string
  readonly tool: string
  readonly outcome: 'done' | 'failed' | 'skipped'
  readonly calls: number
  readonly ms: number
}

interface Finished {
  readonly result: ToolResult
  readonly outcome: StepOutcome
}

/** One run of a pipeline: its steps in order, and what they gave. */
export class PipelineRun {
  /** The result of the last step that ran, in the order of the definition. */
  last: ToolResult | undefined
  /** Why it ended early. */
  failure: string | undefined
  readonly scope: { readonly input: Arguments; readonly steps: Record<string, StepOutcome> }

  readonly #pipeline: Pipeline
  readonly #context: ToolContext
  readonly #stepSeconds: number | undefined
  readonly #limit = limitConcurrency(maxAtOnce)
  readonly #deadline: Deadline
  readonly #records = new Map<string, StepRecord>()
  /** A step failed that must not: what has not begun does not begin any more. */
  #isStopped = false
  readonly #callCounts = new Map<string, number>()
  #calls = 0
  #keptChars = 0
  #progress = 0

  constructor(
    pipeline: Pipeline,
    input: Arguments,
    { context, stepSeconds }: { context: ToolContext; stepSeconds: number | undefined },
  ) {
    this.#pipeline = pipeline
    this.#context = context
    this.#stepSeconds = stepSeconds
    this.scope = { input, steps: {} }
    this.#deadline = new Deadline((pipeline.timeoutSeconds ?? defaultTotalSeconds) * 1000, context.signal)
  }

  /** The steps that ran or were left out, in the order of the definition. */
  get records(): StepRecord[] {
    return this.#pipeline.steps.flatMap(callsOf).flatMap(({ id }) => this.#records.get(id) ?? [])
  }

  /** Rejects when the client has gone; every other end is in `failure`. */
  async run(): Promise<void> {
    // Whoever reports progress first goes on reporting it: the pipeline counts its steps, not the server of the first.
    this.#advance(0, 'The first step begins.')
    try {
      for (const step of this.#pipeline.steps) {
        const finished = await Promise.all(callsOf(step).map((call) => this.#runStep(call)))
        this.last = finished.findLast((each) => each !== undefined)?.result ?? this.last
        if (this.failure !== undefined) return
      }
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error
      const { name, timeoutSeconds } = this.#pipeline
      this.failure =
        `'${name}' took longer than ${timeoutSeconds ?? defaultTotalSeconds} seconds and was ended. ` +
        'Ask for less, or raise timeoutSeconds of the pipeline.'
    } finally {
      this.#deadline.close()
    }
  }

  async #runStep(step: CallStep): Promise<Finished | undefined> {
    const started = performance.now()
    const finished = await this.#attempt(step)
    const ms = Math.round(performance.now() - started)
    const { id, tool } = step
    const failed = finished?.outcome.isError === true
    this.#records.set(id, {
      id,
      ...(step.server === undefined ? {} : { server: step.server }),
      tool,
      outcome: finished === undefined ? 'skipped' : failed ? 'failed' : 'done',
      calls: this.#callCounts.get(id) ?? 0,
      ms,
    })
    if (finished !== undefined) this.scope.steps[id] = finished.outcome
    if (finished === undefined || (finished.outcome.items ?? []).length === 0) this.#advance(1, `Step '${id}' is over.`)
    if (failed && step.onError === 'fail') this.failure ??= this.#describeFailure(step, finished.outcome)
    return finished
  }

  async #attempt(step: CallStep): Promise<Finished | undefined> {
    try {
      const find = findIn({ ...this.scope })
      if (step.when !== undefined && checkCondition(step.when, find) !== true) return undefined
      if (step.forEach !== undefined) return await this.#runForEach(step)
      const result = await this.#limit(() => this.#call(step, this.scope))
      return result === undefined ? undefined : { result, outcome: toOutcome(result) }
    } catch (error) {
      // A server that is away or a value that is missing is an outcome of the step; anything else is no business of it.
      if (!(error instanceof HubError)) throw error
      const result = errorResult(error.message)
      return { result, outcome: toOutcome(result) }
    }
  }

  async #runForEach(step: CallStep): Promise<Finished> {
    const items = readList(step, renderTemplate(step.forEach, findIn({ ...this.scope })))
    const outcomes = await Promise.all(
      items.map((item, index) =>
        this.#limit(async () => {
          const result = await this.#call(step, { ...this.scope, item, index })
          this.#advance(1 / items.length, `Step '${step.id}': ${index + 1} of ${items.length}.`)
          return result === undefined ? undefined : toOutcome(result)
        }),
      ),
    )
    const outcome = joinOutcomes(outcomes.filter((each) => each !== undefined))
    return { result: joinedResult(outcome), outcome }
  }

  /** The result of one call, in which an error of the hub is one of the tool; undefined when it is not made any more. */
  async #call(step: CallStep, scope: Record<string, unknown>): Promise<ToolResult | undefined> {
    if (this.#isStopped) return undefined
    const result = await this.#send(step, scope).catch((error: unknown) => {
      if (error instanceof HubError) return errorResult(error.message)
      throw error
    })
    if (result.isError === true && step.onError === 'fail') this.#isStopped = true
    return result
  }

  async #send(step: CallStep, scope: Record<string, unknown>): Promise<ToolResult> {
    this.#deadline.throwIfOver()
    const args = renderTemplate(step.arguments, findIn(scope)) as Arguments
    this.#count(step.id)
    const seconds = step.timeoutSeconds ?? this.#stepSeconds
    const limits = [
      ...(seconds === undefined ? [] : [seconds * 1000]),
      ...(this.#pipeline.timeoutSeconds === undefined ? [] : [this.#deadline.leftMs]),
    ]
    const timeoutMs = limits.length === 0 ? undefined : Math.min(...limits)
    const reference = { server: step.server, tool: step.tool }
    const result = await this.#deadline.race(this.#context.call(reference, args, { timeoutMs }))
    this.#keptChars += JSON.stringify(result).length
    if (this.#keptChars <= maxKeptChars) return result
    throw new HubError('ANSWER_TOO_LARGE', 'The results of the steps are too large together. Ask for less.')
  }

  #count(id: string): void {
    this.#callCounts.set(id, (this.#callCounts.get(id) ?? 0) + 1)
    if (++this.#calls <= maxCalls) return
    throw new HubError('OVERLOADED', `A pipeline makes at most ${maxCalls} calls. Give it fewer items.`)
  }

  #advance(part: number, message: string): void {
    this.#progress += part
    const total = this.#pipeline.steps.flatMap(callsOf).length
    this.#context.progress(Math.min(total, Math.round(this.#progress * 10_000) / 10_000), total, message)
  }

  #describeFailure(step: CallStep, outcome: StepOutcome): string {
    const at = outcome.items?.findIndex(({ isError }) => isError) ?? -1
    const culprit = outcome.items?.[at] ?? outcome
    const text = culprit.text === '' ? JSON.stringify(culprit.structured ?? 'no reason was given') : culprit.text
    const item = at < 0 ? '' : `, item ${at + 1}`
    return `Step '${step.id}' of '${this.#pipeline.name}' failed at ${memberLabel(step)}${item}: ${text}`
  }
}

function readList(step: CallStep, value: unknown): readonly unknown[] {
  const list = typeof value === 'string' ? parseJsonText(value) : value
  if (!Array.isArray(list)) {
    throw new HubError(
      'INVALID_PARAMS',
      `forEach of step '${step.id}' is ${value === undefined ? 'missing' : 'no list'}.`,
    )
  }
  if (list.length <= maxItems) return list
  throw new HubError(
    'INVALID_PARAMS',
    `forEach of step '${step.id}' has ${list.length} items; at most ${maxItems} are allowed. Give a shorter list.`,
  )
}
