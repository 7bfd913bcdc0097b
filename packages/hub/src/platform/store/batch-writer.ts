import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import type { Log } from '../log.ts'
import { isPermanentFailure, readRootMessage } from '../postgres/sql-state.ts'

export interface BatchWriterOptions<Row> {
  /** What the rows are, for the log. */
  readonly name: string
  /** Makes the rows durable in one statement, or throws. After a lost answer the same rows come again. */
  write(rows: readonly Row[]): Promise<void>
  readonly log: Log
  readonly maxBatch?: number
  readonly maxDelayMs?: number
  /** Rows that may wait in memory; further ones are dropped and counted. */
  readonly maxQueued?: number
}

export interface BatchWriterStats {
  readonly queued: number
  readonly written: number
  readonly dropped: number
  readonly lastError: { readonly at: Date; readonly message: string } | null
}

const firstRetryMs = 50
const lastRetryMs = 5000

interface Waiter {
  readonly upTo: number
  /** How many rows the store had refused for good when the wait began. */
  readonly refusedBefore: number
  resolve(): void
  reject(error: Error): void
}

/** Writes many small rows off the hot path, in order, in batches, one at a time. */
export class BatchWriter<Row> {
  readonly #options: Required<BatchWriterOptions<Row>>
  readonly #queue: Row[] = []
  readonly #stopping = new AbortController()
  #waiters: Waiter[] = []
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #accepted = 0
  #settled = 0
  #written = 0
  #dropped = 0
  #refused = 0
  #lastError: BatchWriterStats['lastError'] = null
  #isClosed = false

  constructor(options: BatchWriterOptions<Row>) {
    this.#options = { maxBatch: 500, maxDelayMs: 50, maxQueued: 20_000, ...options }
  }

  /** Never throws and never waits. False when the row was dropped. */
  add(row: Row): boolean {
    if (this.#isClosed || this.#queue.length >= this.#options.maxQueued) {
      this.#dropped++
      return false
    }
    this.#queue.push(row)
    this.#accepted++
    if (this.#queue.length >= this.#options.maxBatch) this.#run()
    else this.#timer ??= setTimeout(() => this.#run(), this.#options.maxDelayMs)
    return true
  }

  /** Resolves when every row added before is durable; rejects when the store refused one or the writer stopped. */
  flush(): Promise<void> {
    if (this.#settled === this.#accepted) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ upTo: this.#accepted, refusedBefore: this.#refused, resolve, reject })
      this.#run()
    })
  }

  /** Writes what is queued; after the deadline the rest is dropped and counted. */
  async stop(deadlineMs = 5000): Promise<void> {
    this.#isClosed = true
    const deadline = setTimeout(() => this.#stopping.abort(), deadlineMs)
    // The rejection only says that the deadline passed, which the count of dropped rows says too.
    await this.flush().catch(() => undefined)
    clearTimeout(deadline)
    this.#stopping.abort()
    clearTimeout(this.#timer)
  }

  stats(): BatchWriterStats {
    const queued = this.#accepted - this.#settled
    return { queued, written: this.#written, dropped: this.#dropped, lastError: this.#lastError }
  }

  #run(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined
      if (this.#queue.length > 0 && !this.#stopping.signal.aborted) this.#run()
    })
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const isSettled = await this.#writeUntilSettled(this.#queue.slice(0, this.#options.maxBatch))
      if (!isSettled) return this.#abandon()
    }
  }

  // Rows stay at the head of the queue until they are settled, so the cap counts the ones under way too.
  async #writeUntilSettled(rows: readonly Row[]): Promise<boolean> {
    const { signal } = this.#stopping
    for (let waitMs = firstRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        await rejectOnAbort(this.#options.write(rows), signal)
        this.#written += rows.length
        this.#settle(rows.length)
        return true
      } catch (error) {
        if (signal.aborted) return false
        this.#note(error)
        if (isPermanentFailure(error)) return await this.#isolate(rows)
        // Waking early only means that the writer stops.
        await sleep(waitMs, undefined, { signal }).catch(() => undefined)
      }
    }
    return false
  }

  // One bad row must not hold back the others: halve until it stands alone, then drop it.
  async #isolate(rows: readonly Row[]): Promise<boolean> {
    if (rows.length === 1) {
      this.#dropped++
      this.#refused++
      this.#settle(1)
      return true
    }
    const middle = rows.length >> 1
    const isFirstSettled = await this.#writeUntilSettled(rows.slice(0, middle))
    return isFirstSettled && (await this.#writeUntilSettled(rows.slice(middle)))
  }

  #abandon(): void {
    const left = this.#queue.splice(0).length
    this.#dropped += left
    this.#settled += left
    this.#options.log.warn(`${this.#options.name}: stopped before everything was written`, { dropped: left })
    const error = new HubError('STORE_UNAVAILABLE', `${this.#options.name}: ${left} rows were not written.`)
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error)
  }

  #settle(count: number): void {
    this.#queue.splice(0, count)
    this.#settled += count
    const due = this.#waiters.filter((waiter) => waiter.upTo <= this.#settled)
    this.#waiters = this.#waiters.filter((waiter) => waiter.upTo > this.#settled)
    for (const waiter of due) {
      if (waiter.refusedBefore === this.#refused) waiter.resolve()
      else waiter.reject(new HubError('STORE_UNAVAILABLE', `${this.#options.name}: ${this.#lastError?.message}`))
    }
  }

  #note(error: unknown): void {
    const message = readRootMessage(error)
    // A store that is away fails every few seconds; only a new reason is news.
    if (this.#lastError?.message !== message)
      this.#options.log.warn(`${this.#options.name}: write failed`, { error: message })
    this.#lastError = { at: new Date(), message }
  }
}

function rejectOnAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
