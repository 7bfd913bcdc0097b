import type { Call } from '../wire/index.ts'
import type { Pending } from './link.ts'
import { RequestCall } from './request-call.ts'

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
  readonly #ghosts = new Map<number, { readonly asker: unknown; readonly until: number }>()

  constructor(pending: { values(): Iterable<Pending> }) {
    this.#pending = pending
  }

  /** The newest call of the only client that can be meant; null when it is nobody, or may be somebody else. */
  find(): Pending | null {
    if (this.askers().size !== 1) return null
    return this.#clientCalls().at(-1) ?? null
  }

  askers(): Set<unknown> {
    const askers = new Set(this.#clientCalls().map(({ call }) => askerOf(call)))
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
