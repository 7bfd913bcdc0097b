import { HubError, type Principal, type PrincipalLimits } from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'
import { TokenBucket } from './token-bucket.ts'

interface LimiterOptions {
  /** What holds for a principal now; null for one without limits. Asked on every call, so it must be a lookup. */
  limitsOf(principal: Principal): PrincipalLimits | null
  /** Milliseconds. */
  readonly clock?: () => number
  readonly maxPrincipals?: number
}

/** The right to one call. `release` is called when it is over; calling it again does nothing. */
export interface CallPermit {
  release(): void
}

export interface LimitRefusal {
  readonly refused: HubError
  readonly retryAfterMs: number
}

/** Calls that do work at a server count. Lists are bytes that lie ready, and everything else is as cheap. */
const countedMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'session/chat',
])

const sweepEveryMs = 60_000
/** When a call ends is not known, so this is a guess that keeps clients from asking at once. */
const concurrencyRetryMs = 1000

/** How often and how many at once each principal may call, so that one cannot use up what all share. */
export class PrincipalLimiter {
  readonly #limitsOf: LimiterOptions['limitsOf']
  readonly #clock: () => number
  readonly #maxPrincipals: number
  readonly #records = new Map<string, Usage>()
  #sweptAt: number
  #refusedByRate = 0
  #refusedByConcurrency = 0

  constructor({ limitsOf, clock = () => performance.now(), maxPrincipals = 10_000 }: LimiterOptions) {
    this.#limitsOf = limitsOf
    this.#clock = clock
    this.#maxPrincipals = maxPrincipals
    this.#sweptAt = clock()
  }

  /**
   * Costs nothing for what does not count and for those without limits. What is done inside of a call that has its
   * permit counts as a call, but not as one more under way.
   */
  take(principal: Principal, method: string, isInside = false): CallPermit | LimitRefusal {
    const opens = method === 'initialize'
    if (!opens && !countedMethods.has(method)) return unlimited
    const limits = this.#limitsOf(principal)
    if (limits === null || (limits.callsPerMinute === null && limits.concurrency === null)) return unlimited
    const now = this.#clock()
    if (now - this.#sweptAt >= sweepEveryMs) this.#sweep(now)
    // Connections are opened as often as calls are made at most, and cost none of them.
    const id = opens ? `initialize ${principal.id}` : principal.id
    const isOneMore = !opens && !isInside
    const usage = this.#records.get(id) ?? this.#begin(id, now)
    if (isOneMore && limits.concurrency !== null && usage.underWay >= limits.concurrency) {
      this.#refusedByConcurrency += 1
      return refuseConcurrency(principal, limits.concurrency)
    }
    const waitMs = limits.callsPerMinute === null ? 0 : usage.takeToken(limits.callsPerMinute, now)
    if (waitMs > 0) {
      this.#refusedByRate += 1
      return refuseRate(principal, limits.callsPerMinute!, waitMs)
    }
    return isOneMore ? usage.begin() : unlimited
  }

  metrics(): Metric[] {
    return [
      {
        name: 'principal_limit_refusals_total',
        help: 'Calls that were refused because their principal had too many.',
        kind: 'counter',
        read: () => [
          { labels: { limit: 'rate' }, value: this.#refusedByRate },
          { labels: { limit: 'concurrency' }, value: this.#refusedByConcurrency },
        ],
      },
      {
        name: 'limited_principals',
        help: 'Principals whose calls are counted at the moment.',
        kind: 'gauge',
        read: () => this.#records.size,
      },
    ]
  }

  #begin(id: string, now: number): Usage {
    if (this.#records.size >= this.#maxPrincipals) this.#sweep(now)
    // Still full of principals that are busy: the one that came first is forgotten, and starts anew.
    if (this.#records.size >= this.#maxPrincipals) this.#records.delete(this.#records.keys().next().value!)
    const usage = new Usage()
    this.#records.set(id, usage)
    return usage
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [id, usage] of this.#records) if (usage.isIdle(now)) this.#records.delete(id)
  }
}

const unlimited: CallPermit = { release() {} }

class Usage {
  underWay = 0
  #perMinute = 0
  #bucket: TokenBucket | null = null

  /** The time to wait, or 0 and one is taken. */
  takeToken(perMinute: number, now: number): number {
    if (this.#bucket === null) this.#bucket = new TokenBucket(perMinute, now)
    else if (perMinute !== this.#perMinute) this.#bucket.change(perMinute, now)
    this.#perMinute = perMinute
    return this.#bucket.take(now)
  }

  begin(): CallPermit {
    this.underWay += 1
    return new CountedTurn(this)
  }

  isIdle(now: number): boolean {
    return this.underWay === 0 && (this.#bucket === null || this.#bucket.isFull(now))
  }
}

class CountedTurn implements CallPermit {
  #usage: Usage | null

  constructor(usage: Usage) {
    this.#usage = usage
  }

  release(): void {
    if (this.#usage === null) return
    this.#usage.underWay -= 1
    this.#usage = null
  }
}

function refuseRate({ name }: Principal, perMinute: number, retryAfterMs: number): LimitRefusal {
  const seconds = Math.ceil(retryAfterMs / 1000)
  const message = `'${name}' may call ${perMinute} times a minute. Try again in ${seconds} s, or ask an admin for more.`
  return { refused: new HubError('RATE_LIMITED', message, { data: { retryAfterMs } }), retryAfterMs }
}

function refuseConcurrency({ name }: Principal, concurrency: number): LimitRefusal {
  const message = `'${name}' may have ${concurrency} calls under way. Wait for one to end, or ask an admin for more.`
  const retryAfterMs = concurrencyRetryMs
  return { refused: new HubError('RATE_LIMITED', message, { data: { retryAfterMs } }), retryAfterMs }
}
