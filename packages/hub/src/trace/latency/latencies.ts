import { HubError, type LatencyLine, type LatencyQuery, type LatencyReport, type LatencySummary } from '@herma/contract'
import type { LatencyRow, LatencySpan, LatencyStore, LatencySubject, NamedLatencyRow } from './latency-store.ts'
import type { SearchGate } from '../search-gate.ts'

export interface LatenciesOptions {
  readonly store: Pick<LatencyStore, 'one' | 'lastError' | 'all'>
  readonly gate: SearchGate
  redact(text: string): string
  /** What was recorded just before is stored. */
  settle(): Promise<void>
  now?(): number
}

/** Names of all connectors and served servers. */
export interface LatencyNames {
  readonly connectors: readonly string[]
  readonly servers: readonly string[]
}

const maxPoints = 120
const sparkSteps = 24
const second = 1000
/** Lengths that people understand. */
const steps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200].map((seconds) => seconds * second)
/** Many pages ask for the same lists, again with every call that ends. */
const reuseMs = 1000

/** Says how long calls took. Nothing is kept for it: the recorded calls are all that it needs. */
export class Latencies {
  readonly #options: LatenciesOptions
  #last: { readonly minutes: number; readonly at: number; readonly summary: Promise<LatencySummary> } | null = null

  constructor(options: LatenciesOptions) {
    this.#options = options
  }

  async report(query: LatencyQuery): Promise<LatencyReport> {
    const subject = subjectOf(query)
    const span = this.#spanOf(query.minutes)
    const { store, gate, redact } = this.#options
    await this.#options.settle()
    const [rows, error] = await Promise.all([
      gate.pass(() => store.one(subject, span)),
      gate.pass(() => store.lastError(subject, span)),
    ])
    const total = rows.find(({ step }) => step === null)
    const { count = 0, errors = 0 } = total ?? {}
    return {
      ...showSpan(span),
      stepMs: span.stepMs,
      points: rows.flatMap(({ step, ...row }) =>
        step === null ? [] : [{ at: toIso(span.from + step * span.stepMs), ...figuresOf(row) }],
      ),
      total: count === 0 ? { count, errors, p50: null, p95: null, p99: null } : figuresOf(total!),
      lastError:
        error === undefined
          ? null
          : { at: error.at.toISOString(), message: redact(describeError(error)), traceId: error.traceId },
    }
  }

  /** One line for each connector and server, so that a list needs one question. */
  summary(minutes: number, names: LatencyNames): Promise<LatencySummary> {
    const now = this.#now()
    if (this.#last !== null && this.#last.minutes === minutes && now - this.#last.at < reuseMs)
      return this.#last.summary
    const summary = this.#summarise(minutes, names)
    const last = { minutes, at: now, summary }
    this.#last = last
    // The next one who asks shall not get the failure of this one.
    summary.catch(() => {
      if (this.#last === last) this.#last = null
    })
    return summary
  }

  async #summarise(minutes: number, { connectors, servers }: LatencyNames): Promise<LatencySummary> {
    const { store, gate } = this.#options
    await this.#options.settle()
    // The end is not part of it, and what was recorded in this very moment is.
    const to = this.#now() + 1
    const stepMs = Math.ceil((minutes * 60 * second) / sparkSteps)
    const span = { from: to - stepMs * sparkSteps, to, stepMs }
    const rows = await gate.pass(() => store.all(span))
    return {
      ...showSpan(span),
      connectors: linesOf('connector', connectors, rows),
      servers: linesOf('server', servers, rows),
    }
  }

  /** Begins and ends with a whole step, so that a plot that is made anew does not waver. */
  #spanOf(minutes: number): LatencySpan {
    const wholeMs = minutes * 60 * second
    const stepMs = steps.find((each) => wholeMs / each <= maxPoints) ?? Math.ceil(wholeMs / maxPoints)
    const to = (Math.floor(this.#now() / stepMs) + 1) * stepMs
    return { from: to - Math.ceil(wholeMs / stepMs) * stepMs, to, stepMs }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

function subjectOf({ connector, server, session }: LatencyQuery): LatencySubject {
  const named = Object.entries({ connector, server, session }).flatMap(([side, name]) =>
    name === undefined ? [] : [{ side: side as LatencySubject['side'], name }],
  )
  if (named.length === 1) return named[0]!
  throw new HubError('INVALID_PARAMS', 'Name one of connector, server and session.')
}

function linesOf(side: NamedLatencyRow['side'], names: readonly string[], rows: readonly NamedLatencyRow[]) {
  const lines = new Map<string, LatencyLine>(names.map((name) => [name, emptyLine(name)]))
  for (const row of rows) {
    const line = row.side === side ? lines.get(row.name) : undefined
    if (line === undefined) continue
    const [p50 = 0, p95 = 0] = row.percentiles.map(round)
    if (row.step === null) lines.set(row.name, { ...line, count: row.count, errors: row.errors, p50, p95 })
    else if (row.step < sparkSteps) line.spark[row.step] = p50
  }
  return [...lines.values()]
}

function emptyLine(name: string): LatencyLine {
  return { name, count: 0, errors: 0, p50: null, p95: null, spark: Array.from({ length: sparkSteps }, () => null) }
}

function figuresOf({ count, errors, percentiles }: Omit<LatencyRow, 'step'>) {
  const [p50 = 0, p95 = 0, p99 = 0] = percentiles.map(round)
  return { count, errors, p50, p95, p99 }
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}

function describeError({ message, code }: { message: string | null; code: string | null }): string {
  return message ?? (code === null ? 'The tool reported a failure.' : `It failed with ${code}.`)
}

function showSpan({ from, to }: LatencySpan): { from: string; to: string } {
  return { from: toIso(from), to: toIso(to) }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
