import type { DriftReport } from '@herma/contract'
import type { Log } from '../platform/log.ts'
import type { Descriptor } from './catalog-source.ts'
import type { DriftBook } from './drift/drift-book.ts'

interface DriftWatchParts {
  readonly book: DriftBook
  intended(): Promise<Descriptor[]>
  /** Lists the tools as a client does. */
  live(): Promise<Descriptor[]>
  readonly log: Log
}

/** Changes come in groups, as when connectors start one after the other. */
const settleMs = 1000

/** Compares the live catalog with the intended one after every start and change. */
export class DriftWatch {
  readonly #parts: DriftWatchParts
  #timer: NodeJS.Timeout | null = null
  #capturing: Promise<DriftReport> | null = null
  #isRunning = false

  constructor(parts: DriftWatchParts) {
    this.#parts = parts
  }

  /** From now on clients can list. */
  start(): void {
    this.#isRunning = true
    this.onChange()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    // A capture that fails because the hub stops is no news.
    await this.#capturing?.catch(() => {})
  }

  onChange(): void {
    if (!this.#isRunning || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.capture().catch((error: unknown) => {
        if (this.#isRunning) this.#parts.log.warn('the live catalog could not be compared', { error })
      })
    }, settleMs).unref()
  }

  /** Takes both anew. Those who ask while it is being done get the same report. */
  capture(): Promise<DriftReport> {
    this.#capturing ??= this.#capture().finally(() => {
      this.#capturing = null
    })
    return this.#capturing
  }

  async #capture(): Promise<DriftReport> {
    const [live, intended] = await Promise.all([this.#parts.live(), this.#parts.intended()])
    return this.#parts.book.record(intended, live)
  }
}
