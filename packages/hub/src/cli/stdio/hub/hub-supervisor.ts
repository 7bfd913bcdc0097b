import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract/plain'

import type { Hub } from '../../../hub.ts'
import { findRunningHub } from './find-running-hub.ts'
import { searchHub, type HubSearchOptions } from './search-hub.ts'

/** One run of a hub. The next run is another object, even at the same address. */
export interface HubRun {
  readonly url: URL
}

/** Why there is no hub. */
interface Absence {
  readonly since: Date
  readonly error: Error
}

interface SupervisorListener {
  onReady(hub: HubRun): void
  onGone(): void
}

const lookMs = 1000
const checkMs = 100
/** A start that failed is not tried again for every request, but now and then by itself. */
const leastPauseMs = 2000
const retryMs = 20_000

/**
 * Keeps the bridge supplied with a hub. When the hub goes, it looks for another one; it starts one itself only when one
 * is needed, so that `herma stop` stops the hub of clients that are idle.
 */
export class HubSupervisor {
  readonly #options: HubSearchOptions
  readonly #listener: SupervisorListener
  readonly #stopping = new AbortController()
  readonly #waiters = new HubWaiters()
  #hub: HubRun | null = null
  #own: Hub | null = null
  #search: Promise<void> | null = null
  #look: Promise<void> | null = null
  #check: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #lostAt = new Date()
  #failedAt = -Infinity
  #absence: Absence | null = null

  constructor(options: HubSearchOptions, listener: SupervisorListener) {
    this.#options = options
    this.#listener = listener
  }

  start(): void {
    this.#timer = setInterval(() => this.#tick(), lookMs)
    this.#begin()
  }

  get hub(): HubRun | null {
    return this.#hub
  }

  get isSearching(): boolean {
    return this.#search !== null
  }

  /** Set once a search has failed, until there is a hub again. */
  get absence(): Absence | null {
    return this.#absence
  }

  /** The time since which there is no hub. */
  get lostAt(): Date {
    return this.#lostAt
  }

  /** The hub, searched for and started if need be. Rejects when that fails or takes too long. */
  need(limitMs: number, signal?: AbortSignal): Promise<HubRun> {
    if (this.#hub !== null) return Promise.resolve(this.#hub)
    // A hub that somebody else runs may come back at any time; one that cannot be started will not by waiting.
    const isPatient = !this.#options.mayStart
    if (!this.#begin() && !isPatient) return Promise.reject(this.#absence?.error ?? stopped())
    return this.#waiters.wait({ isPatient, signal, limitMs, tooLong: () => this.#tooLong(limitMs) })
  }

  /** The hub, or null as soon as it is known that there is none. */
  async needUnlessAbsent(limitMs: number, signal?: AbortSignal): Promise<HubRun | null> {
    const isBegun = this.#begin()
    if (this.#hub !== null || this.#absence !== null || !isBegun) return this.#hub
    const tooLong = () => this.#tooLong(limitMs)
    return this.#waiters.wait({ isPatient: false, signal, limitMs, tooLong }).catch(() => null)
  }

  /** The next hub, without starting one. */
  next(signal: AbortSignal): Promise<HubRun> {
    return this.#hub === null ? this.#waiters.wait({ isPatient: true, signal }) : Promise.resolve(this.#hub)
  }

  /** Searches at once, however short ago the last search failed. */
  async retry(): Promise<HubRun> {
    this.#failedAt = -Infinity
    await this.#look
    this.#begin()
    await this.#search
    if (this.#hub === null) throw this.#absence?.error ?? stopped()
    return this.#hub
  }

  /** Somebody could not reach this hub. Resolves when it is known whether it still runs. */
  suspect(hub: HubRun): Promise<void> {
    if (this.#hub !== hub) return Promise.resolve()
    this.#check ??= this.#verify(hub).finally(() => (this.#check = null))
    return this.#check
  }

  async stop(): Promise<void> {
    this.#stopping.abort(stopped())
    this.#hub = null
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#waiters.reject(stopped(), 'everybody')
    // A start that is under way ends first, so that no half-started process is left behind.
    await this.#search
    await this.#own?.stop()
  }

  async #verify(hub: HubRun): Promise<void> {
    const find = () => findRunningHub(this.#options.hub, this.#options.env)
    let url = await find()
    // A hub of this process either answers or is on its way out, and tells when it has stopped.
    for (; this.#own !== null && url === null; url = await find()) await sleep(checkMs)
    if (this.#hub !== hub || url?.href === hub.url.href) return
    this.#lose()
    if (url !== null) this.#accept({ url })
  }

  #lose(): void {
    if (this.#hub === null) return
    this.#options.log.info('the hub has gone', { hub: this.#hub.url.origin })
    this.#hub = null
    this.#lostAt = new Date()
    this.#listener.onGone()
  }

  #tick(): void {
    if (this.#hub !== null || this.#search !== null || this.#look !== null) return
    if (this.#absence !== null && performance.now() - this.#failedAt > retryMs) return void this.#begin()
    this.#look = findRunningHub(this.#options.hub, this.#options.env)
      .then((url) => {
        if (url !== null && this.#search === null) this.#accept({ url })
      })
      .finally(() => (this.#look = null))
  }

  /** Begins a search unless one is under way; false when the last one failed a moment ago. */
  #begin(): boolean {
    if (this.#search !== null || this.#hub !== null) return true
    if (performance.now() - this.#failedAt < leastPauseMs || this.#stopping.signal.aborted) return false
    this.#search = this.#run().finally(() => (this.#search = null))
    return true
  }

  async #run(): Promise<void> {
    try {
      const { url, own } = await searchHub(this.#options, this.#stopping.signal)
      this.#options.log.info(own === null ? 'bridging to a hub' : 'started a hub', { hub: url.origin })
      const hub = { url }
      if (own !== null) {
        this.#own = own
        void own.stopped.then(() => this.#onStopped(hub))
      }
      this.#accept(hub)
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#fail(error as Error)
    }
  }

  /** The hub of this process has stopped, for instance by `herma stop`. */
  #onStopped(hub: HubRun): void {
    this.#own = null
    if (this.#hub === hub) this.#lose()
  }

  #accept(hub: HubRun): void {
    if (this.#stopping.signal.aborted || this.#hub !== null) return
    this.#hub = hub
    this.#absence = null
    this.#failedAt = -Infinity
    this.#waiters.resolve(hub)
    this.#listener.onReady(hub)
  }

  #fail(error: Error): void {
    this.#options.log.warn('there is no hub', { error })
    this.#failedAt = performance.now()
    this.#absence = { since: this.#lostAt, error }
    this.#waiters.reject(error, 'impatient')
  }

  #tooLong(limitMs: number): Error {
    const cause = this.#absence?.error
    const reason = cause?.message ?? 'It is still being looked for.'
    return new HubError('HUB_NOT_RUNNING', `There was no hub within ${limitMs / 1000} s. ${reason}`, { cause })
  }
}

function stopped(): HubError {
  return new HubError('HUB_NOT_RUNNING', 'The bridge is stopping.')
}

interface Waiter {
  readonly isPatient: boolean
  resolve(hub: HubRun): void
  reject(error: Error): void
}

interface WaitOptions {
  /** Waits through searches that fail. */
  readonly isPatient: boolean
  readonly signal?: AbortSignal | undefined
  readonly limitMs?: number
  /** What to say when that was too long. */
  tooLong?(): Error
}

/** Those who wait for a hub. */
class HubWaiters {
  readonly #waiters = new Set<Waiter>()

  wait({ isPatient, signal, limitMs, tooLong }: WaitOptions): Promise<HubRun> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiters.delete(waiter)
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        isPatient,
        resolve: (hub) => {
          end()
          resolve(hub)
        },
        reject: (error) => {
          end()
          reject(error)
        },
      }
      const abort = () => waiter.reject(signal!.reason as Error)
      const timer = tooLong === undefined ? undefined : setTimeout(() => waiter.reject(tooLong()), limitMs)
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
      if (signal?.aborted === true) abort()
    })
  }

  /** There is a hub. */
  resolve(hub: HubRun): void {
    for (const waiter of this.#waiters) waiter.resolve(hub)
  }

  /** A search has failed, or there will not be another one. */
  reject(error: Error, whom: 'impatient' | 'everybody'): void {
    for (const waiter of this.#waiters) if (whom === 'everybody' || !waiter.isPatient) waiter.reject(error)
  }
}
