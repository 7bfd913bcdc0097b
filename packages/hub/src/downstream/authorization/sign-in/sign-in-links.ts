import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { HubError } from '@herma/contract'
import type { Metric } from '../../../platform/metric/metrics.ts'
import { everybody } from '../credential/connector-credentials.ts'

/** A sign-in that a client was asked for. */
interface Wanted {
  readonly connectorId: string
  /** Whose it will be; empty for everybody. */
  readonly whose: string
  /** Who may open the link. */
  readonly by: string
  /** Under which the client hears that it is done. */
  readonly elicitationId: string
  link: { readonly url: string; readonly key: string; readonly expiresAt: number } | null
  /** Connections of legacy clients that want to hear of its end. */
  readonly watchers: Set<string>
  readonly waiters: Set<(isDone: boolean) => void>
}

export interface SignInLink {
  readonly url: string
  readonly elicitationId: string
}

/** Where the links lead; the id follows. */
export const signInPath = '/api/sign-in'
/** How long a link can be opened. */
const linkMs = 10 * 60_000
const maxWanted = 1000
const maxWatchers = 256

/**
 * Links that clients show their people when a server wants a sign-in. A link cannot be guessed, can be opened once, and
 * only by the principal that it was made for: whoever is sent somebody else's link would sign in for that other one.
 * https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#phishing
 */
export class SignInLinks {
  readonly #origin: () => string
  readonly #wanted = new Map<string, Wanted>()
  readonly #byKey = new Map<string, Wanted>()

  /** `origin` is where browsers find the hub. */
  constructor(origin: () => string) {
    this.#origin = origin
  }

  get size(): number {
    return this.#wanted.size
  }

  readonly metrics: readonly Metric[] = [
    {
      name: 'sign_ins_wanted',
      help: 'Sign-ins that clients were given links for.',
      kind: 'gauge',
      read: () => this.size,
    },
  ]

  /** The link for a principal: the same until it is opened or too old. */
  give(
    connectorId: string,
    { whose, by, connectionId }: { whose: string; by: string; connectionId: string | null },
  ): SignInLink {
    const wanted = this.#wanted.get(pairOf(connectorId, whose)) ?? this.#want(connectorId, whose, by)
    if (connectionId !== null && wanted.watchers.size < maxWatchers) wanted.watchers.add(connectionId)
    if (wanted.link === null || wanted.link.expiresAt < Date.now()) this.#renew(wanted)
    return { url: wanted.link!.url, elicitationId: wanted.elicitationId }
  }

  /** What a link is for. It cannot be opened again; somebody else than it was made for does not use it up. */
  open(id: string, principal: string): { connectorId: string; by: string } {
    const key = keyOf(id)
    const wanted = this.#byKey.get(key)
    if (wanted?.link == null || wanted.link.expiresAt < Date.now())
      throw new HubError('SIGN_IN_FAILED', 'This link was used already or is too old. Ask for another one.')
    if (wanted.by !== principal)
      throw new HubError('FORBIDDEN', 'This link was made for somebody else. Open it where you are signed in to Herma.')
    this.#byKey.delete(key)
    wanted.link = null
    return { connectorId: wanted.connectorId, by: wanted.by }
  }

  /** Somebody signed in. Returns who wants to hear of it, under which id. */
  complete(connectorId: string, whose: string): { elicitationId: string; watchers: ReadonlySet<string> } | null {
    const wanted = this.#wanted.get(pairOf(connectorId, whose))
    if (wanted === undefined) return null
    this.#forget(wanted, true)
    return wanted
  }

  /** Resolves when the sign-in is done, or with false when it takes longer. */
  wait(connectorId: string, whose: string, limitMs: number): Promise<boolean> {
    const wanted = this.#wanted.get(pairOf(connectorId, whose))
    if (wanted === undefined || wanted.waiters.size >= maxWatchers) return Promise.resolve(false)
    return new Promise((resolve) => {
      const settle = (isDone: boolean) => {
        clearTimeout(timer)
        wanted.waiters.delete(settle)
        resolve(isDone)
      }
      const timer = setTimeout(() => settle(false), limitMs).unref()
      wanted.waiters.add(settle)
    })
  }

  isWanted(connectorId: string, whose: string): boolean {
    return this.#wanted.has(pairOf(connectorId, whose))
  }

  #want(connectorId: string, whose: string, by: string): Wanted {
    // The oldest has had the longest time.
    if (this.#wanted.size >= maxWanted) this.#forget(this.#wanted.values().next().value!, false)
    const [watchers, waiters] = [new Set<string>(), new Set<(isDone: boolean) => void>()]
    const wanted = { connectorId, whose, by, elicitationId: randomUUID(), link: null, watchers, waiters }
    this.#wanted.set(pairOf(connectorId, whose), wanted)
    return wanted
  }

  #renew(wanted: Wanted): void {
    if (wanted.link !== null) this.#byKey.delete(wanted.link.key)
    const id = randomBytes(32).toString('base64url')
    const key = keyOf(id)
    wanted.link = { url: `${this.#origin()}${signInPath}/${id}`, key, expiresAt: Date.now() + linkMs }
    this.#byKey.set(key, wanted)
  }

  #forget(wanted: Wanted, isDone: boolean): void {
    this.#wanted.delete(pairOf(wanted.connectorId, wanted.whose))
    if (wanted.link !== null) this.#byKey.delete(wanted.link.key)
    for (const settle of wanted.waiters) settle(isDone)
  }
}

function pairOf(connectorId: string, whose: string): string {
  return whose === everybody ? connectorId : `${connectorId} ${whose}`
}

/** Looked up by its hash, so that the time of a miss tells nothing about the ids that there are. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
