const maxTimerMs = 2 ** 31 - 1

/** How long a request may still take, and the signal that tells its handler that it is over. */
export class Deadline {
  readonly #outer: AbortSignal
  #controller: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #leftMs = 0
  #startedAt = 0
  #expire: ((error: Error) => void) | undefined
  #pauses = 0

  /** `outer` fires when the client cancels or leaves. */
  constructor(outer: AbortSignal) {
    this.#outer = outer
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = new AbortController()
    if (this.#outer.aborted) controller.abort(this.#outer.reason)
    else this.#outer.addEventListener('abort', () => controller.abort(this.#outer.reason), { once: true })
    this.#controller = controller
    return controller.signal
  }

  /** Begins, or begins anew with another length; 0 means no end. `expire` is told when the time is up. */
  start(ms: number, expire: (error: Error) => void): void {
    this.#expire = expire
    this.restart(ms)
  }

  restart(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // A timer that is longer than timers can be would fire at once.
    this.#leftMs = ms > maxTimerMs ? 0 : ms
    if (this.#expire !== undefined) this.#run()
  }

  /** Several may pause it at once: it goes on when all have resumed it. */
  pause(): void {
    this.#pauses++
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = Math.max(1, this.#leftMs - (Date.now() - this.#startedAt))
  }

  resume(): void {
    this.#pauses--
    this.#run()
  }

  #run(): void {
    if (this.#pauses > 0 || this.#leftMs <= 0 || this.#timer !== undefined) return
    this.#startedAt = Date.now()
    const allowedMs = this.#leftMs
    this.#timer = setTimeout(() => this.#end(allowedMs), allowedMs)
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs = 0
    this.#expire = undefined
  }

  #end(allowedMs: number): void {
    const error = new DeadlineExceeded(allowedMs)
    const expire = this.#expire
    this.stop()
    this.#controller?.abort(error)
    expire?.(error)
  }
}

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded'
  constructor(ms: number) {
    super(`It took longer than ${ms} ms and was stopped.`)
  }
}
