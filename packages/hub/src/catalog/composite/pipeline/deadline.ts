/** The time of the whole is over. */
export class DeadlineError extends Error {}

/** Ends the waiting of a run when its time is over or its client has gone. */
export class Deadline {
  readonly #end: number
  readonly #over: Promise<never>
  #release = () => {}
  #reason: unknown

  constructor(ms: number, signal: AbortSignal) {
    this.#end = performance.now() + ms
    this.#over = new Promise((_, reject) => {
      const end = (reason: unknown) => {
        this.#reason = reason
        reject(reason)
      }
      const timer = setTimeout(() => end(new DeadlineError('The time is over.')), ms)
      const abort = () => end(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      this.#release = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
      if (signal.aborted) abort()
    })
    // Whoever waits hears of it; when nobody does, nobody needs to.
    this.#over.catch(() => {})
  }

  get leftMs(): number {
    return Math.max(1, Math.ceil(this.#end - performance.now()))
  }

  throwIfOver(): void {
    if (this.#reason !== undefined) throw this.#reason
  }

  async race<T>(work: Promise<T>): Promise<T> {
    return await Promise.race([work, this.#over])
  }

  close(): void {
    this.#release()
  }
}
