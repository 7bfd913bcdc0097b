import { HubError, type AddressLimits } from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'
import { oneClient } from './one-client.ts'
import type { CallPermit, LimitRefusal } from './principal-limiter.ts'
import { TokenBucket } from './token-bucket.ts'

/** What an address holds. Requests count in place of sockets behind a proxy of this machine, whose the sockets are. */
export type AddressHold = 'sockets' | 'requests' | 'connections'

interface AddressLimiterOptions {
  limits(): AddressLimits
  /** Milliseconds. */
  readonly clock?: () => number
  /** Addresses whose rate is remembered. */
  readonly maxAddresses?: number
}

const sweepEveryMs = 60_000
/** When something is closed is not known, so this is a guess that keeps clients from asking at once. */
const fullRetryMs = 10_000

/**
 * How much one address holds at once and how often it opens connections, so that it cannot push out all others: neither
 * with sockets that show no key, nor with many keys.
 *
 * This machine has no such limit. All clients of a person come from there, `herma stdio` for each of them too, and who
 * runs programs there can stop the hub anyway; what a principal may do holds there as everywhere.
 */
export class AddressLimiter {
  readonly #limits: () => AddressLimits
  readonly #clock: () => number
  readonly #maxAddresses: number
  readonly #held: Record<AddressHold, Map<string, number>> = {
    sockets: new Map(),
    requests: new Map(),
    connections: new Map(),
  }
  readonly #openings = new Map<string, TokenBucket>()
  #sweptAt: number
  readonly #refused = { sockets: 0, requests: 0, connections: 0, rate: 0 }

  constructor({ limits, clock = () => performance.now(), maxAddresses = 10_000 }: AddressLimiterOptions) {
    this.#limits = limits
    this.#clock = clock
    this.#maxAddresses = maxAddresses
    this.#sweptAt = clock()
  }

  hasRoom(hold: AddressHold, address: string): boolean {
    const client = oneClient(address)
    return client === null || this.#isBelow(hold, client)
  }

  /** Counts one more until it is released. */
  hold(hold: AddressHold, address: string): CallPermit | LimitRefusal {
    const client = oneClient(address)
    if (client === null) return unlimited
    if (!this.#isBelow(hold, client)) {
      this.#refused[hold]++
      return refuse(describe[hold](this.#limitOf(hold)!), fullRetryMs)
    }
    const held = this.#held[hold]
    held.set(client, (held.get(client) ?? 0) + 1)
    return new Held(held, client)
  }

  /** Counts one opening of a connection; null where there may be one now. */
  refusalToOpen(address: string): LimitRefusal | null {
    const client = oneClient(address)
    const { opensPerMinute } = this.#limits()
    if (client === null || opensPerMinute === null) return null
    const now = this.#clock()
    if (now - this.#sweptAt >= sweepEveryMs) this.#sweep(now)
    const bucket = this.#openings.get(client) ?? this.#begin(client, opensPerMinute, now)
    bucket.change(opensPerMinute, now)
    const waitMs = bucket.take(now)
    if (waitMs === 0) return null
    this.#refused.rate++
    const seconds = Math.ceil(waitMs / 1000)
    const text = `Your address may open ${opensPerMinute} connections a minute. Try again in ${seconds} s${orChange('opens')}`
    return refuse(text, waitMs)
  }

  metrics(): Metric[] {
    return [
      {
        name: 'address_limit_refusals_total',
        help: 'Sockets, requests and connections that were refused because their address had too many.',
        kind: 'counter',
        read: () => Object.entries(this.#refused).map(([limit, value]) => ({ labels: { limit }, value })),
      },
      {
        name: 'limited_addresses',
        help: 'Addresses beyond this machine that hold sockets, requests or connections.',
        kind: 'gauge',
        read: () => new Set(Object.values(this.#held).flatMap((held) => [...held.keys()])).size,
      },
    ]
  }

  #limitOf(hold: AddressHold): number | null {
    const { sockets, connections } = this.#limits()
    return hold === 'connections' ? connections : sockets
  }

  #isBelow(hold: AddressHold, client: string): boolean {
    return (this.#held[hold].get(client) ?? 0) < (this.#limitOf(hold) ?? Number.POSITIVE_INFINITY)
  }

  #begin(client: string, perMinute: number, now: number): TokenBucket {
    if (this.#openings.size >= this.#maxAddresses) this.#sweep(now)
    // Still full of addresses that go on: the one that came first is forgotten, and starts anew.
    if (this.#openings.size >= this.#maxAddresses) this.#openings.delete(this.#openings.keys().next().value!)
    const bucket = new TokenBucket(perMinute, now)
    this.#openings.set(client, bucket)
    return bucket
  }

  #sweep(now: number): void {
    this.#sweptAt = now
    for (const [client, bucket] of this.#openings) if (bucket.isFull(now)) this.#openings.delete(client)
  }
}

const unlimited: CallPermit = { release() {} }

class Held implements CallPermit {
  readonly #held: Map<string, number>
  #client: string | null

  constructor(held: Map<string, number>, client: string) {
    this.#held = held
    this.#client = client
  }

  release(): void {
    const client = this.#client
    if (client === null) return
    this.#client = null
    const left = this.#held.get(client)! - 1
    if (left > 0) this.#held.set(client, left)
    else this.#held.delete(client)
  }
}

const orChange = (name: string) => `, or have the owner of the hub raise it: herma access --per-address ${name}=N`

const describe: Record<AddressHold, (limit: number) => string> = {
  sockets: (limit) =>
    `Your address has ${limit} sockets open at this hub, its limit. Close some and try again${orChange('sockets')}`,
  requests: (limit) =>
    `Your address has ${limit} requests under way at this hub, its limit. End some and try again${orChange('sockets')}`,
  connections: (limit) =>
    `Your address has ${limit} connections, its limit. Close some with DELETE and try again${orChange('connections')}`,
}

function refuse(text: string, retryAfterMs: number): LimitRefusal {
  return { refused: new HubError('RATE_LIMITED', text, { data: { retryAfterMs } }), retryAfterMs }
}
