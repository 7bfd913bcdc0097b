import { HubError, type DownstreamState } from '@herma/contract'
import type { Call } from '../wire/index.ts'
import type { Link } from './link.ts'

/** How long to wait after failures in a row; the first one does not wait at all. */
export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
  /** After the cap a downstream rests; a call after this time tries once more. */
  readonly restMs: number
}

/** A crashing process costs the machine something each time. */
export const processBackoff: Backoff = { firstMs: 500, maxMs: 30_000, restMs: 60_000 }
/** Looking whether a server on the network is back costs next to nothing, and clients want it back soon. */
export const networkBackoff: Backoff = { firstMs: 250, maxMs: 1000, restMs: 1000 }

/** A call waits for a restart that is this near, and fails at once otherwise. */
const patienceMs = 5000

export interface KeeperOptions {
  readonly name: string
  readonly maxRestarts: number
  readonly backoff: Backoff
  /** Makes a link and opens it; the keeper closes it when opening fails. */
  create(): Link
  open(link: Link): Promise<void>
  onReady(link: Link): void
  onState(state: DownstreamState): void
}

/** Keeps one link: opens it when it is needed, and again after it was lost, with backoff and a cap. */
export class LinkKeeper {
  link: Link | null = null
  state: DownstreamState = 'idle'
  restartCount = 0
  retryAt: number | null = null
  lastUsedAt = performance.now()
  lastError: HubError | null = null
  /** Calls that wait for the link to open. */
  readonly waiting = new Set<Call>()
  readonly #options: KeeperOptions
  #opening: Promise<Link> | null = null
  #creating: Link | null = null
  #failures = 0
  #wasLost = false
  #isStopped = false

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  /** The open link, after opening it if need be. Rejects with the reason when it cannot be had. */
  async get(): Promise<Link> {
    if (this.link !== null && !this.link.isClosed) return this.link
    if (this.#isStopped) throw this.#stopped()
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  /** The link broke by itself. */
  lost(link: Link, cause: HubError | null): void {
    if (this.link !== link) return
    this.link = null
    this.#wasLost = true
    this.#failed(cause ?? new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#options.name}' went away.`))
    void link.retire().catch((error: Error) => link.owner.onRemark(`closing: ${error.message}`))
  }

  /** A call went through: the downstream works, so the next crash starts counting anew. */
  succeeded(): void {
    this.#failures = 0
  }

  /** Forgets earlier failures, as after a change by a person. */
  forgive(): void {
    this.#failures = 0
    this.retryAt = null
    if (this.state === 'failed' || this.state === 'backoff') this.#setState('idle')
  }

  /** Closes an idle link; the next call opens another. */
  async rest(): Promise<void> {
    const link = this.link
    this.link = null
    this.#setState('idle')
    await link?.close()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const links = [this.link, this.#creating]
    this.link = null
    this.#setState('idle')
    await Promise.all(links.map((link) => link?.close()))
  }

  async #open(): Promise<Link> {
    await this.#wait()
    if (this.#isStopped) throw this.#stopped()
    if (this.#wasLost) this.restartCount++
    this.#setState('starting')
    let link: Link | null = null
    try {
      link = this.#options.create()
      this.#creating = link
      await this.#options.open(link)
    } catch (error) {
      await link?.close()
      const cause = error instanceof HubError ? error : toHubError(this.#options.name, error)
      if (!this.#isStopped) this.#failed(cause)
      throw cause
    } finally {
      this.#creating = null
    }
    if (this.#isStopped) {
      await link.close()
      throw this.#stopped()
    }
    this.link = link
    this.#wasLost = false
    this.retryAt = null
    this.#setState('ready')
    this.#options.onReady(link)
    return link
  }

  async #wait(): Promise<void> {
    const waitMs = (this.retryAt ?? 0) - Date.now()
    if (waitMs <= 0) return
    if (waitMs > patienceMs) {
      const seconds = Math.ceil(waitMs / 1000)
      throw new HubError(
        'DOWNSTREAM_UNAVAILABLE',
        `'${this.#options.name}' failed and is tried again in ${seconds} s. Last error: ${this.lastError?.message ?? 'unknown'}`,
        { cause: this.lastError },
      )
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }

  #failed(cause: HubError): void {
    this.lastError = cause
    this.#failures++
    const isOut = this.#failures > this.#options.maxRestarts
    const { firstMs, maxMs, restMs } = this.#options.backoff
    const backoffMs = this.#failures === 1 ? 0 : Math.min(firstMs * 2 ** (this.#failures - 2), maxMs)
    this.retryAt = Date.now() + (isOut ? restMs : backoffMs)
    this.#setState(isOut ? 'failed' : 'backoff')
  }

  #stopped(): HubError {
    return new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#options.name}' is stopped.`)
  }

  #setState(state: DownstreamState): void {
    if (this.state === state) return
    this.state = state
    this.#options.onState(state)
  }
}

function toHubError(name: string, error: unknown): HubError {
  const message = error instanceof Error ? error.message : String(error)
  return new HubError('DOWNSTREAM_FAILED', `'${name}' refused the handshake: ${message}`, { cause: error })
}
