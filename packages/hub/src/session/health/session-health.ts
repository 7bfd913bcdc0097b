import type { SessionHealth } from '@herma/contract'

/** How one turn of a session ended. A cancelled one says nothing about the session. */
export interface TurnOutcome {
  readonly outcome: 'ok' | 'error' | 'cancelled'
  readonly ms: number
  /** Why it failed, without secrets. */
  readonly problem?: string | undefined
}

interface Entry {
  /** Of the last turns that went well. */
  latencies: number[]
  failures: number
  problem: string | null
  lastErrorAt: number | null
  lastUsedAt: number | null
  running: number
}

/** Turns that the average is made of. */
const window = 20
/** Failed turns in a row that make a session failing. */
const failingAfter = 3
/** A failing session that nobody asked for this long may be well again: whoever chooses tries it once more. */
const forgiveMs = 60_000

/** How the turns of sessions went lately; in memory only. */
export class SessionHealthRegistry {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A turn begins. Returns what has to be called once when it is over. */
  begin(sessionId: string): (turn: TurnOutcome) => void {
    const entry = this.#of(sessionId)
    entry.running++
    entry.lastUsedAt = this.#now()
    let isOver = false
    return (turn) => {
      if (isOver) return
      isOver = true
      entry.running--
      this.#record(entry, turn)
    }
  }

  /** `unready` says what is missing; null when nothing is. */
  describe(sessionId: string, { isEnabled, unready }: { isEnabled: boolean; unready: string | null }): SessionHealth {
    const entry = this.#entries.get(sessionId) ?? createEntry()
    const { latencies, failures, lastErrorAt, lastUsedAt, running } = entry
    const state = unready !== null ? 'unready' : isEnabled ? this.#stateOf(entry) : 'disabled'
    return {
      state,
      problem: unready ?? (failures > 0 ? entry.problem : null),
      latencyMs: latencies.length === 0 ? null : Math.round(latencies.reduce((a, b) => a + b) / latencies.length),
      failures,
      lastErrorAt: toIso(lastErrorAt),
      lastUsedAt: toIso(lastUsedAt),
      running,
    }
  }

  /** A person changed what may have been wrong. */
  forgive(sessionId: string): void {
    const entry = this.#entries.get(sessionId)
    if (entry === undefined) return
    entry.failures = 0
    entry.problem = null
    entry.latencies = []
  }

  remove(sessionId: string): void {
    this.#entries.delete(sessionId)
  }

  #record(entry: Entry, { outcome, ms, problem }: TurnOutcome): void {
    if (outcome === 'ok') {
      entry.latencies = [...entry.latencies, ms].slice(-window)
      entry.failures = 0
      entry.problem = null
    } else if (outcome === 'error') {
      entry.failures++
      entry.lastErrorAt = this.#now()
      entry.problem = problem ?? 'The last turn failed. See: herma traces'
    }
  }

  #stateOf({ failures, latencies, lastErrorAt }: Entry): SessionHealth['state'] {
    const isForgiven = this.#now() - (lastErrorAt ?? 0) >= forgiveMs
    if (failures >= failingAfter && !isForgiven) return 'failing'
    return latencies.length > 0 && failures < failingAfter ? 'healthy' : 'unknown'
  }

  #of(sessionId: string): Entry {
    const entry = this.#entries.get(sessionId) ?? createEntry()
    this.#entries.set(sessionId, entry)
    return entry
  }
}

function createEntry(): Entry {
  return { latencies: [], failures: 0, problem: null, lastErrorAt: null, lastUsedAt: null, running: 0 }
}

function toIso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
