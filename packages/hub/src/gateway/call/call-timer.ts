/** Ends a call after a time. While a person is asked, the time does not run. */
export class CallTimer {
  readonly #onEnd: () => void
  #leftMs: number
  #startedAt = 0
  #timer: NodeJS.Timeout | null = null
  #pauses = 0
  #isOver = false

  constructor(limitMs: number, onEnd: () => void) {
    this.#leftMs = limitMs
    this.#onEnd = onEnd
    this.#start()
  }

  /** Runs something that takes as long as it takes. */
  async during<T>(run: () => Promise<T>): Promise<T> {
    if (this.#pauses++ === 0) this.#pause()
    try {
      return await run()
    } finally {
      if (--this.#pauses === 0 && !this.#isOver) this.#start()
    }
  }

  /** The call is over. */
  end(): void {
    this.#isOver = true
    this.#pause()
  }

  #pause(): void {
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    this.#timer = null
    this.#leftMs -= performance.now() - this.#startedAt
  }

  #start(): void {
    this.#startedAt = performance.now()
    this.#timer = setTimeout(this.#onEnd, Math.max(this.#leftMs, 1))
  }
}
