import type { Call } from '../../wire/index.ts'
import type { Pending } from '../link/link.ts'
import { RequestCall } from '../link/request-call.ts'

/** How long the first question waits for it to become clear whose it is. */
const patienceMs = 60_000
/** How long a server may still ask about a call that was given up. */
const ghostMs = 5000
const maxGhosts = 256

/**
 * Who would be asked on behalf of a call. A legacy client is known by its connection, so its calls are alike; two modern
 * requests may come from two people, so each is an asker of its own.
 */
export function askerOf(call: Call): unknown {
  return call.caller.connectionId ?? call
}

/**
 * Knows whom a question may be for when the wire does not say which call it belongs to: the clients that have calls
 * under way, and those that have just given one up without the server having answered it.
 */
export class Attribution {
  readonly #pending: { values(): Iterable<Pending> }
  readonly #waiting = new Set<{ readonly candidates: readonly Pending[]; settle(isClear: boolean): void }>()
  readonly #ghosts = new Map<number, { readonly asker: unknown; readonly until: number }>()

  constructor(pending: { values(): Iterable<Pending> }) {
    this.#pending = pending
  }

  /**
   * Waits until only one client's calls are left of those under way now: a server that waits for an answer does not end
   * the call that asks. False when it does not become clear, as when several questions wait or a call is given up.
   */
  clear(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isClear: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#waiting.delete(entry)
        resolve(isClear)
      }
      const giveUp = () => settle(false)
      const entry = { candidates: this.#clientCalls(), settle }
      const timer = setTimeout(giveUp, patienceMs).unref()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(entry)
      // Two questions at once may be of two clients, or both of one.
      if (this.#waiting.size > 1) this.refuseWaiting()
    })
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** Called when a call has ended. */
  look(): void {
    const left = new Set(this.#clientCalls())
    for (const { candidates, settle } of this.#waiting) {
      const askers = new Set(candidates.filter((pending) => left.has(pending)).map(({ call }) => askerOf(call)))
      if (askers.size <= 1) settle(askers.size === 1 && this.askersUnderWay().size === 1)
    }
  }

  /** It cannot become clear any more. */
  refuseWaiting(): void {
    for (const { settle } of this.#waiting) settle(false)
  }

  /** The newest call of a client. */
  newest(): Pending | null {
    return this.#clientCalls().at(-1) ?? null
  }

  /** The newest of the calls that may be meant, if they are all of one client. */
  only(mayBeMeant: (call: Call) => boolean): Pending | null {
    const meant = this.#clientCalls().filter(({ call }) => mayBeMeant(call))
    const askers = new Set(meant.map(({ call }) => askerOf(call)))
    return askers.size === 1 ? meant.at(-1)! : null
  }

  /** The clients that have calls under way. */
  askersUnderWay(): Set<unknown> {
    return new Set(this.#clientCalls().map(({ call }) => askerOf(call)))
  }

  /** Everybody who can be meant: those, and who gave a call up a moment ago. */
  askers(): Set<unknown> {
    const askers = this.askersUnderWay()
    const now = performance.now()
    for (const [id, { asker, until }] of this.#ghosts) {
      if (until < now) this.#ghosts.delete(id)
      else askers.add(asker)
    }
    return askers
  }

  /** A call was given up; the server may not know it yet. */
  givenUp({ id, call }: Pending): void {
    if (call instanceof RequestCall) return
    this.refuseWaiting()
    if (this.#ghosts.size >= maxGhosts) this.#ghosts.delete(this.#ghosts.keys().next().value!)
    this.#ghosts.set(id, { asker: askerOf(call), until: performance.now() + ghostMs })
  }

  /** The server answered a call all the same. False when it was none that had been given up. */
  answered(id: unknown): boolean {
    return typeof id === 'number' && this.#ghosts.delete(id)
  }

  /** The hub's own requests can be asked nothing. */
  #clientCalls(): Pending[] {
    return [...this.#pending.values()].filter(({ call }) => !(call instanceof RequestCall))
  }
}
