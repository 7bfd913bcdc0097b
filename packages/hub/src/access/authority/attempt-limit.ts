import { ExpiringMap } from '@herma/framework/wire'

export interface AttemptLimitOptions {
  /** Failures that cost nothing. */
  readonly free: number
  /** The wait after the first failure beyond those; it doubles with each one. */
  readonly waitMs: number
  readonly maxWaitMs: number
  /** How long a failure counts. */
  readonly memoryMs: number
}

interface Failures {
  readonly count: number
  readonly nextAt: number
}

const maxKeys = 10_000

/** Slows down who keeps failing: every further failure doubles the wait. It knows keys, not whether they exist. */
export class AttemptLimit {
  readonly #options: AttemptLimitOptions
  readonly #failures = new ExpiringMap<Failures>(maxKeys)

  constructor(options: AttemptLimitOptions) {
    this.#options = options
  }

  /** Milliseconds until the next attempt is let through; 0 when it is now. */
  waitMs(key: string): number {
    return Math.max(0, (this.#failures.get(key)?.nextAt ?? 0) - Date.now())
  }

  fail(key: string): void {
    const { free, waitMs, maxWaitMs, memoryMs } = this.#options
    const count = (this.#failures.get(key)?.count ?? 0) + 1
    const wait = count <= free ? 0 : Math.min(maxWaitMs, waitMs * 2 ** Math.min(count - free - 1, 30))
    this.#failures.set(key, { count, nextAt: Date.now() + wait }, Date.now() + memoryMs + wait)
  }

  /** Takes back one failure, for an attempt that turned out well. */
  undo(key: string): void {
    const count = (this.#failures.get(key)?.count ?? 0) - 1
    if (count <= 0) this.#failures.delete(key)
    else this.#failures.set(key, { count, nextAt: 0 }, Date.now() + this.#options.memoryMs)
  }

  forget(key: string): void {
    this.#failures.delete(key)
  }
}
