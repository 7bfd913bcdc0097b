import type { Events, HubEvent } from '../../platform/events.ts'
import { Counter, Histogram } from '../../platform/metric/histogram.ts'
import type { Metric } from '../../platform/metric/metrics.ts'

const none = ''

/** Figures made of the events of calls; they do not depend on what is stored of them. */
export class CallMetrics {
  readonly #duration = new Histogram({
    name: 'call_duration_seconds',
    help: 'How long requests of clients took, and how they ended.',
    labels: ['server', 'connector', 'outcome'],
    bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  })
  readonly #bytes = new Counter({
    name: 'call_bytes_total',
    help: 'Bytes of requests and answers.',
    labels: ['server', 'direction'],
  })
  readonly #refusals = new Counter({
    name: 'refusals_total',
    help: 'Requests that a rule or a limit refused.',
    labels: ['server', 'reason'],
  })
  readonly metrics: readonly Metric[] = [this.#duration.metric, this.#bytes.metric, this.#refusals.metric]

  /** Returns the function that stops listening. */
  start(events: Events): () => void {
    return events.listen((event) => this.#take(event))
  }

  #take(event: HubEvent): void {
    const { kind, server = none } = event
    // The refusal of a call is told by its end too.
    if (kind === 'access.refused' && event.method === undefined) this.#refusals.add(1, server, 'access')
    if (kind !== 'call.finished') return
    if (event.outcome === 'refused') this.#refusals.add(1, server, event.errorCode ?? none)
    this.#duration.observe((event.ms ?? 0) / 1000, server, event.connector ?? none, event.outcome ?? 'ok')
    if (event.requestBytes !== undefined) this.#bytes.add(event.requestBytes, server, 'request')
    if (event.responseBytes !== undefined) this.#bytes.add(event.responseBytes, server, 'response')
  }
}
