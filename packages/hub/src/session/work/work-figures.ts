import type { EventOutcome } from '../../platform/events.ts'
import { Counter, Histogram } from '../../platform/metric/histogram.ts'
import type { Metric } from '../../platform/metric/metrics.ts'
import type { Usage } from '../turn/types.ts'

export interface TurnFigures {
  readonly session: string
  readonly route: string
  readonly outcome: EventOutcome
  readonly ms: number
  readonly usage: Usage
  readonly costUsd: number | null
  readonly toolCalls: number
}

/** What sessions did and used, since the hub was started. */
export class WorkFigures {
  readonly #turns = new Histogram({
    name: 'session_turn_duration_seconds',
    help: 'How long turns of sessions took, and how they ended.',
    labels: ['session', 'route', 'outcome'],
    bounds: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900],
  })
  readonly #tokens = new Counter({
    name: 'session_tokens_total',
    help: 'Tokens that sessions used.',
    labels: ['session', 'kind'],
  })
  readonly #cost = new Counter({
    name: 'session_cost_usd_total',
    help: 'What sessions cost, where the price is known.',
    labels: ['session'],
  })
  readonly #tools = new Counter({
    name: 'session_tool_calls_total',
    help: 'Tools that sessions called while they worked.',
    labels: ['session'],
  })
  readonly metrics: readonly Metric[] = [this.#turns.metric, this.#tokens.metric, this.#cost.metric, this.#tools.metric]

  add({ session, route, outcome, ms, usage, costUsd, toolCalls }: TurnFigures): void {
    this.#turns.observe(ms / 1000, session, route, outcome)
    if (usage.inputTokens > 0) this.#tokens.add(usage.inputTokens, session, 'input')
    if (usage.outputTokens > 0) this.#tokens.add(usage.outputTokens, session, 'output')
    if (costUsd !== null && costUsd > 0) this.#cost.add(costUsd, session)
    if (toolCalls > 0) this.#tools.add(toolCalls, session)
  }
}
