import { SandboxAsks, type AskAnswerer } from './sandbox-asks.ts'
import type { SandboxLimits, SandboxOutcome } from './sandbox-message.ts'
import { SandboxThread } from './sandbox-thread.ts'

export interface SandboxJob {
  readonly code: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Gives a script what it asks for. */
  readonly answer: AskAnswerer
}

export interface SandboxOptions {
  readonly maxThreads?: number
  readonly maxWaiting?: number
  readonly idleMs?: number
  readonly limits?: Partial<Omit<SandboxLimits, 'wallMs'>>
}

const defaultLimits = {
  cpuMs: 10_000,
  memoryMiB: 64,
  asks: 1000,
  askLength: 4 * 2 ** 20,
  logBytes: 64 * 1024,
  resultBytes: 2 ** 20,
}

/**
 * Runs scripts that nobody trusts: in QuickJS, in threads of their own, with bounded memory and time, and with no way
 * out but the answers that a job gives. Threads are started when they are needed and ended when they are not.
 */
export class Sandbox {
  readonly #maxThreads: number
  readonly #maxWaiting: number
  readonly #idleMs: number
  readonly #limits: Omit<SandboxLimits, 'wallMs'>
  readonly #idle: { thread: SandboxThread; timer: NodeJS.Timeout }[] = []
  readonly #waiting: (() => void)[] = []
  readonly #running = new Map<AbortController, Promise<unknown>>()
  #isStopped = false
  #taken = 0

  constructor({ maxThreads = 4, maxWaiting = 32, idleMs = 30_000, limits = {} }: SandboxOptions = {}) {
    this.#maxThreads = maxThreads
    this.#maxWaiting = maxWaiting
    this.#idleMs = idleMs
    this.#limits = { ...defaultLimits, ...limits }
  }

  /** Threads that there are now, working or waiting for work. */
  get threadCount(): number {
    return this.#taken + this.#idle.length
  }

  /** Runs a script and says how it ended; it rejects only when no thread can be started at all. */
  async run(job: SandboxJob): Promise<SandboxOutcome> {
    const cancel = new AbortController()
    const onAbort = () => cancel.abort()
    job.signal.addEventListener('abort', onAbort, { once: true })
    if (job.signal.aborted || this.#isStopped) cancel.abort()
    const ending = this.#runInTurn(job, cancel.signal)
    this.#running.set(cancel, ending)
    try {
      return await ending
    } finally {
      this.#running.delete(cancel)
      job.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Ends all threads; scripts that run are cancelled. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const cancel of this.#running.keys()) cancel.abort()
    const idle = this.#idle.splice(0)
    for (const { timer } of idle) clearTimeout(timer)
    await Promise.allSettled([...idle.map(({ thread }) => thread.end()), ...this.#running.values()])
  }

  async #runInTurn(job: SandboxJob, signal: AbortSignal): Promise<SandboxOutcome> {
    const endsAt = performance.now() + job.timeoutMs
    if (await this.#takeSlot(signal, job.timeoutMs)) return await this.#runInSlot(job, endsAt, signal)
    const reason = signal.aborted ? 'The script was cancelled.' : 'Too many scripts run at once. Try again later.'
    return { status: 'failed', reason, logs: '' }
  }

  async #runInSlot(job: SandboxJob, endsAt: number, signal: AbortSignal): Promise<SandboxOutcome> {
    const asks = new SandboxAsks(job.answer)
    let thread: SandboxThread | undefined
    try {
      thread = this.#takeIdle() ?? (await SandboxThread.start())
      const wallMs = Math.max(1, Math.round(endsAt - performance.now()))
      return await thread.run({
        code: job.code,
        limits: { ...this.#limits, wallMs },
        signal,
        answer: asks.answer,
      })
    } finally {
      asks.close()
      this.#giveBack(thread)
    }
  }

  /** False when the signal or the time comes before there is room, or too many wait already. */
  async #takeSlot(signal: AbortSignal, waitMs: number): Promise<boolean> {
    if (signal.aborted) return false
    if (this.#taken < this.#maxThreads) {
      this.#taken++
      return true
    }
    if (this.#waiting.length >= this.#maxWaiting) return false
    return await new Promise((resolve) => {
      const settle = (hasSlot: boolean) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        resolve(hasSlot)
      }
      const take = () => settle(true)
      const leave = () => {
        const at = this.#waiting.indexOf(take)
        if (at >= 0) this.#waiting.splice(at, 1)
        settle(false)
      }
      const timer = setTimeout(leave, waitMs)
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(take)
    })
  }

  #takeIdle(): SandboxThread | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (!idle.thread.isEnded) return idle.thread
    }
    return undefined
  }

  #giveBack(thread: SandboxThread | undefined): void {
    if (thread !== undefined && !thread.isEnded) this.#keepIdle(thread)
    const next = this.#waiting.shift()
    // Whoever waited takes the place over, so that nobody slips in between.
    if (next !== undefined) next()
    else this.#taken--
  }

  #keepIdle(thread: SandboxThread): void {
    if (this.#isStopped) {
      void thread.end()
      return
    }
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((each) => each.thread === thread)
      if (at >= 0) this.#idle.splice(at, 1)
      void thread.end()
    }, this.#idleMs)
    timer.unref()
    this.#idle.push({ thread, timer })
  }
}
