import type { HubEvent } from '../../platform/events.ts'

/** For connectors that say nothing of it. */
const usualLimit = 1000
const minuteMs = 60_000

interface Minute {
  readonly connector: string
  readonly startedAt: number
  count: number
  left: number
}

/** What was left out of one minute. */
export interface LeftEvents {
  readonly connector: string
  readonly count: number
  readonly since: number
  readonly limit: number
}

/** What a server can cause as often as it likes. Calls are the doing of clients, and each is recorded. */
const traffic: ReadonlySet<string> = new Set(['part.sent', 'question.asked', 'question.answered'])

/** Talk must not crowd out the news that a tool has changed, so they count apart. */
function groupOf(kind: string): 'traffic' | 'news' | null {
  if (traffic.has(kind)) return 'traffic'
  return kind === 'tool.changed' || kind.startsWith('downstream.') ? 'news' : null
}

/** Bounds the events that the server of one connector may cause in a minute, so that it cannot fill the store. */
export class EventLimit {
  readonly #minutes = new Map<string, Minute>()
  readonly #limits: ReadonlyMap<string, number>
  /** Events that were left out so far, by connector. */
  readonly total = new Map<string, number>()

  constructor(limits: ReadonlyMap<string, number>) {
    this.#limits = limits
  }

  /** False for an event that is beyond the limit. */
  take({ kind, connector }: HubEvent, now = Date.now()): boolean {
    const group = connector === null ? null : groupOf(kind)
    if (connector === null || group === null) return true
    const key = `${group} ${connector}`
    const minute = this.#minutes.get(key)
    const isOver = minute !== undefined && now - minute.startedAt >= minuteMs
    // A minute that left something out lasts until that was told.
    if (minute === undefined || (isOver && minute.left === 0)) {
      this.#minutes.set(key, { connector, startedAt: now, count: 1, left: 0 })
      return true
    }
    if (!isOver && minute.count < (this.#limits.get(connector) ?? usualLimit)) {
      minute.count++
      return true
    }
    minute.left++
    this.total.set(connector, (this.total.get(connector) ?? 0) + 1)
    return false
  }

  /** Minutes that are over, with what was left out of them. */
  end(now = Date.now()): LeftEvents[] {
    const over = [...this.#minutes].filter(([, { startedAt }]) => now - startedAt >= minuteMs)
    for (const [key] of over) this.#minutes.delete(key)
    return over.flatMap(([, { connector, left, startedAt }]) => {
      const limit = this.#limits.get(connector) ?? usualLimit
      return left === 0 ? [] : [{ connector, count: left, since: startedAt, limit }]
    })
  }
}
