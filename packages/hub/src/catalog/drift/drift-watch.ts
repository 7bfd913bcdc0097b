import { setImmediate } from 'node:timers/promises'
import type { DriftReport } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import type { Log } from '../../platform/log.ts'
import type { DriftLog } from './drift-log.ts'
import type { Page } from '../core/pages.ts'
import type { Scope } from '../scope/scope.ts'

interface DriftWatchOptions {
  readonly driftLog: DriftLog
  /** The catalog as it should be. */
  intended(): Promise<Scope>
  /** The catalog as clients get it, from where their lists come too. */
  live(): Scope
  readonly log: Log
  /** A change was compared by itself, without anybody who asked for it. */
  onCompared(): void
}

/** Changes come in groups, as when connectors start one after the other. */
const settleMs = 1000
/** A server that changes all the time does not make the hub compare all the time. */
const restFactor = 20

/** Connectors that are looked at for the first time; the downstreams have them. */
export interface FirstLooks {
  /** Resolves when every one was looked at once; null when that has happened already. */
  settled(): Promise<unknown> | null
}

/** Compares the live catalog with the intended one after every start and change. */
export class DriftWatch {
  readonly #parts: DriftWatchOptions
  #timer: NodeJS.Timeout | null = null
  #capturing: Promise<DriftReport> | null = null
  #next: Promise<DriftReport> | null = null
  #isRunning = false
  #lastMs = 0
  #firstLooks: FirstLooks | null = null

  constructor(parts: DriftWatchOptions) {
    this.#parts = parts
  }

  /** Connectors are being looked at for the first time; clients that list wait for it, and so does a comparison. */
  start(firstLooks: FirstLooks): void {
    this.#firstLooks = firstLooks
    this.#isRunning = true
    this.onChange()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    // A capture that fails because the hub stops is no news.
    await (this.#next ?? this.#capturing)?.catch(() => {})
  }

  onChange(): void {
    if (!this.#isRunning || this.#timer !== null) return
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.capture().then(
          () => this.#parts.onCompared(),
          (error: unknown) => {
            if (this.#isRunning) this.#parts.log.warn('the live catalog could not be compared', { error })
          },
        )
      },
      Math.max(settleMs, this.#lastMs * restFactor),
    ).unref()
  }

  /** Takes both anew. Those who ask while it is being done get the next report, since something may have changed. */
  capture(): Promise<DriftReport> {
    if (this.#capturing === null) {
      this.#capturing = this.#capture().finally(() => {
        this.#capturing = null
      })
      return this.#capturing
    }
    const again = () => {
      this.#next = null
      return this.capture()
    }
    this.#next ??= this.#capturing.then(again, again)
    return this.#next
  }

  /** What a client gets that lists all tools now. */
  async liveTools(): Promise<Descriptor[]> {
    await this.#firstLooks?.settled()
    return JSON.parse(this.#parts.live().wholeList('tools').toString('utf8')) as Descriptor[]
  }

  async #capture(): Promise<DriftReport> {
    const startedAt = performance.now()
    await this.#firstLooks?.settled()
    const scope = await this.#parts.intended()
    // All pages of both at once, because the catalog may change while they are read.
    const [intendedPages, livePages] = [pagesOf(scope), pagesOf(this.#parts.live())]
    const live: Descriptor[] = []
    const intended: Descriptor[] = []
    for (let index = 0; index < Math.max(intendedPages.length, livePages.length); index++) {
      const [wanted, found] = [intendedPages[index], livePages[index]]
      const tools = readPage(found)
      live.push(...tools)
      // What is the same, as it mostly is, need not be compared tool by tool.
      intended.push(...(isSame(wanted, found) ? tools : readPage(wanted)))
      await setImmediate()
    }
    const report = await this.#parts.driftLog.record(intended, live)
    this.#lastMs = performance.now() - startedAt
    return report
  }
}

function pagesOf(scope: Scope): Page[] {
  const pages: Page[] = []
  for (let page = scope.page('tools', undefined); page !== undefined;) {
    pages.push(page)
    page = page.nextCursor === undefined ? undefined : scope.page('tools', page.nextCursor)
  }
  return pages
}

function readPage(page: Page | undefined): Descriptor[] {
  return page === undefined ? [] : (JSON.parse(page.entries.toString('utf8')) as Descriptor[])
}

function isSame(one: Page | undefined, other: Page | undefined): boolean {
  return one !== undefined && other !== undefined && one.entries.equals(other.entries)
}
