import { askersOf, clientCalls } from './asker.ts'
import type { Pending } from './link.ts'

interface Unknown {
  /** The calls that were under way when the question came: it belongs to one of them. */
  readonly candidates: readonly Pending[]
  settle(pending: Pending | null): void
}

/** How long a question waits for it to become clear whose it is. */
const patienceMs = 60_000

/**
 * Finds the call that a question belongs to when the wire does not say. A server that waits for an answer does not end
 * the call that asks, so the question waits until only one client's calls are left of those that were under way. When
 * as many questions wait as there are clients left, it can never become clear, and nobody is asked.
 */
export class Attribution {
  readonly #pending: { has(id: number): boolean; values(): Iterable<Pending> }
  readonly #unknown = new Set<Unknown>()

  constructor(pending: { has(id: number): boolean; values(): Iterable<Pending> }) {
    this.#pending = pending
  }

  get isWaiting(): boolean {
    return this.#unknown.size > 0
  }

  /** Null when it cannot be known. */
  find(signal: AbortSignal): Promise<Pending | null> {
    const candidates = clientCalls(this.#pending.values())
    if (askersOf(candidates).size <= 1) return Promise.resolve(candidates.at(-1) ?? null)
    return new Promise((resolve) => {
      const settle = (pending: Pending | null) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#unknown.delete(unknown)
        resolve(pending)
      }
      const giveUp = () => settle(null)
      const unknown: Unknown = { candidates, settle }
      const timer = setTimeout(giveUp, patienceMs).unref()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#unknown.add(unknown)
      this.look()
    })
  }

  /** Called when a call has ended. */
  look(): void {
    for (const { candidates, settle } of this.#unknown) {
      const left = candidates.filter(({ id }) => this.#pending.has(id))
      const askers = askersOf(left).size
      if (askers <= 1) settle(left.at(-1) ?? null)
      else if (this.#unknown.size >= askers) settle(null)
    }
  }
}
