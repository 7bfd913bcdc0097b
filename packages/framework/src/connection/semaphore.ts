/** Admits at most `limit` holders at a time; others wait in the order in which they came. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Undefined when there is room at once, so that the usual case costs no turn of the event loop. */
  acquire(signal: AbortSignal): Promise<void> | undefined {
    if (this.#inside < this.#limit) {
      this.#inside++
      return undefined
    }
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(admit)
    })
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#inside--
    else next()
  }
}
