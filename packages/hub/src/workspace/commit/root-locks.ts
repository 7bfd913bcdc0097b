import { isInside } from '../../platform/file/is-inside.ts'

interface Turn {
  readonly roots: readonly string[]
  begin(): void
}

/** One at a time in the same files: roots that hold each other count as the same. First come, first served. */
export class RootLocks {
  readonly #running = new Set<Turn>()
  readonly #waiting = new Set<Turn>()

  /** Throws the reason of the signal when it fires before the turn comes. */
  async run<T>(roots: readonly string[], signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted()
    const turn = await this.#wait(roots, signal)
    try {
      return await work()
    } finally {
      this.#running.delete(turn)
      this.#wake()
    }
  }

  #wait(roots: readonly string[], signal: AbortSignal | undefined): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(turn)
        this.#wake()
        reject(signal?.reason as Error)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve(turn)
      }
      const turn: Turn = { roots, begin }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(turn)
      this.#wake()
    })
  }

  #wake(): void {
    const before: Turn[] = [...this.#running]
    for (const turn of this.#waiting) {
      if (!before.some((other) => overlap(other.roots, turn.roots))) {
        this.#waiting.delete(turn)
        this.#running.add(turn)
        turn.begin()
      }
      before.push(turn)
    }
  }
}

/** Tells whether two sets of roots have files in common. */
export function overlap(roots: readonly string[], others: readonly string[]): boolean {
  return roots.some((one) => others.some((other) => isInside(one, other) || isInside(other, one)))
}
