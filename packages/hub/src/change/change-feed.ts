import { HubError, type ChangeNotice } from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import { listTopics, topicsOf, type TopicSet } from './topics-of.ts'

/** Somebody who wants to know when to ask again. */
export interface ChangeListener {
  /** Once, before anything else: what was before is not told. */
  hello(): void
  /** False when it cannot take more for now; it is told with the next change then. */
  tell(notice: ChangeNotice): boolean
  /** Nothing more will come. */
  end(): void
}

const maxListeners = 50
/** Nobody is told more often than this. */
const gatherMs = 250

/** Tells which topics have changed, gathered over a moment. One number and one timer serve everybody. */
export class ChangeFeed {
  readonly #events: Events
  readonly #listeners = new Map<ChangeListener, { untold: TopicSet }>()
  readonly #stops: (() => void)[] = []
  #gathered: TopicSet = 0
  #timer: NodeJS.Timeout | undefined
  readonly metrics: readonly Metric[] = [
    {
      name: 'change_listeners',
      help: 'Pages and programs that are told of changes.',
      kind: 'gauge',
      read: () => this.#listeners.size,
    },
  ]

  constructor(events: Events) {
    this.#events = events
  }

  start(): void {
    this.#stops.push(
      this.#events.listen(({ kind }) => this.#gather(kind)),
      this.#events.watch((noun) => this.#gather(noun)),
    )
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop()
    clearTimeout(this.#timer)
    for (const listener of this.#listeners.keys()) listener.end()
    this.#listeners.clear()
  }

  /** Returns the function that stops listening. */
  listen(listener: ChangeListener): () => void {
    if (this.#listeners.size >= maxListeners) {
      const text = `${maxListeners} pages and programs follow changes, which is the limit. Close one of them.`
      throw new HubError('OVERLOADED', text)
    }
    this.#listeners.set(listener, { untold: 0 })
    listener.hello()
    return () => this.#listeners.delete(listener)
  }

  /** On the path of calls: it costs nothing while nobody listens. */
  #gather(kind: string): void {
    if (this.#listeners.size === 0) return
    this.#gathered |= topicsOf(kind)
    this.#timer ??= setTimeout(() => this.#tell(), gatherMs).unref()
  }

  #tell(): void {
    this.#timer = undefined
    const gathered = this.#gathered
    this.#gathered = 0
    for (const [listener, state] of this.#listeners) {
      state.untold |= gathered
      if (state.untold !== 0 && listener.tell({ topics: listTopics(state.untold) })) state.untold = 0
    }
  }
}
