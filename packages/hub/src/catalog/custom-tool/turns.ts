/** Lets some run at once while the others wait in a line that has an end. First come, first served. */
export class Turns {
  readonly #limit: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(limit: number, maxWaiting: number) {
    this.#limit = limit
    this.#maxWaiting = maxWaiting
  }

  /** Whoever gets 'taken' has to call `release` once. */
  take(signal: AbortSignal, waitMs: number): Promise<'taken' | 'full' | 'late' | 'cancelled'> {
    if (signal.aborted) return Promise.resolve('cancelled')
    if (this.#running < this.#limit) {
      this.#running++
      return Promise.resolve('taken')
    }
    if (this.#waiting.size >= this.#maxWaiting) return Promise.resolve('full')
    return new Promise((resolve) => {
      const leave = (outcome: 'taken' | 'late' | 'cancelled') => {
        this.#waiting.delete(start)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        resolve(outcome)
      }
      const start = () => leave('taken')
      const cancel = () => leave('cancelled')
      const timer = setTimeout(() => leave('late'), waitMs)
      signal.addEventListener('abort', cancel, { once: true })
      this.#waiting.add(start)
    })
  }

  release(): void {
    const [next] = this.#waiting
    // The place passes from one to the next, so that nobody who comes meanwhile gets it.
    if (next === undefined) this.#running--
    else next()
  }
}
