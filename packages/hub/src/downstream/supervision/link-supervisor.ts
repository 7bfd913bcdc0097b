import { HubError, type DownstreamState } from '@herma/contract'
import type { Call } from '../../wire/index.ts'
import type { Link } from '../link/link.ts'

/** How long to wait after failures in a row. Each wait is twice the one before and a bit, so that many do not meet. */
export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
  /** What rests after its cap of failures is not tried by itself; a call after this time tries once more. */
  readonly restMs: number | null
  /** A call need not wait longer than this, where to look once more costs next to nothing. */
  readonly onDemandMs: number | null
  /** A call waits for an attempt that is this near, and fails at once otherwise. */
  readonly patienceMs: number
}

const [firstMs, maxMs] = [1000, 300_000]
/** A crashing process costs the machine something each time. */
export const processBackoff: Backoff = { firstMs, maxMs, restMs: maxMs, onDemandMs: null, patienceMs: 30_000 }
/** A server on the network is looked at when somebody needs it, and by itself ever more rarely. */
export const networkBackoff: Backoff = { firstMs, maxMs, restMs: null, onDemandMs: 1000, patienceMs: 5000 }

export interface SupervisorOptions {
  readonly name: string
  readonly maxRestarts: number
  readonly backoff: Backoff
  /** Makes a link and opens it; the supervisor closes it when opening fails. */
  create(): Link
  open(link: Link): Promise<void>
  /** For a command that may install something: whether it surely does, and after what time it is taken to. */
  readonly install?: { isFirst(): boolean; readonly afterMs: number } | undefined
  /** Resolves when whoever had the place before has let go of what both may need. */
  readonly free?: Promise<void> | undefined
  /** Another link to try at once in place of one that could not be opened; null when there is none. */
  another?(link: Link): Link | null
  onReady(link: Link): void
  onState(state: DownstreamState): void
}

/** Keeps one link: opens it when it is needed, and again after it was lost, with backoff and a cap. */
export class LinkSupervisor {
  link: Link | null = null
  state: DownstreamState = 'idle'
  restartCount = 0
  retryAt: number | null = null
  lastUsedAt = performance.now()
  lastError: HubError | null = null
  /** Calls that wait for the link to open. */
  readonly waiting = new Set<Call>()
  readonly #options: SupervisorOptions
  #opening: Promise<Link> | null = null
  #creating: Link | null = null
  #failures = 0
  #waits = 0
  /** When a call may try again; by itself the supervisor's owner does so at `retryAt`. */
  #callableAt = 0
  #wasLost = false
  #isStopped = false
  /** The last link on its way out. */
  #leaving: Promise<void> | undefined
  #wake: (() => void) | null = null

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Failed starts and losses in a row. */
  get failures(): number {
    return this.#failures
  }

  /** True when a link that was open before is to be opened again by itself or by the next call. */
  get isRestarting(): boolean {
    return this.#wasLost && this.state !== 'failed' && !this.#isStopped
  }

  /** How long a call waits for one that is being restarted. */
  get patienceMs(): number {
    return this.#options.backoff.patienceMs
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
    this.#leaving = leave(link, link.retire())
    this.#failed(cause ?? new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.#options.name}' went away.`))
  }

  /** A call went through on an open link: the downstream works, so the next crash starts counting anew. */
  succeeded(link: Link): void {
    if (this.link !== link) return
    this.#failures = 0
    this.#waits = 0
  }

  /** Forgets earlier failures, as after a change by a person. */
  forgive(): void {
    this.#failures = 0
    this.#waits = 0
    this.#callableAt = 0
    this.retryAt = null
    if (this.state === 'failed' || this.state === 'backoff') this.#setState('idle')
    this.#wake?.()
  }

  /** Closes an idle link; the next call opens another. */
  async rest(): Promise<void> {
    const link = this.link
    this.link = null
    this.#setState('idle')
    if (link === null) return
    this.#leaving = leave(link, link.close())
    await this.#leaving
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const links = [this.link, this.#creating]
    this.link = null
    this.#setState('idle')
    this.#wake?.()
    await Promise.all([this.#leaving, ...links.map((link) => link?.close())])
  }

  async #open(): Promise<Link> {
    await this.#wait()
    if (this.#isStopped) throw this.#stopped()
    const { install } = this.#options
    this.#setState(install?.isFirst() === true ? 'installing' : 'starting')
    await Promise.all([this.#options.free, this.#leaving])
    if (this.#isStopped) throw this.#stopped()
    if (this.#wasLost) this.restartCount++
    let link: Link
    const showInstall = () => {
      if (this.state === 'starting') this.#setState('installing')
    }
    const timer = install === undefined ? undefined : setTimeout(showInstall, install.afterMs).unref()
    try {
      link = await this.#openNew()
    } catch (error) {
      const cause = error instanceof HubError ? error : toHubError(this.#options.name, error)
      if (!this.#isStopped) this.#failed(cause)
      throw cause
    } finally {
      clearTimeout(timer)
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

  async #openNew(): Promise<Link> {
    const link = this.#options.create()
    try {
      await this.#openOne(link)
      return link
    } catch (error) {
      const other = this.#isStopped ? null : (this.#options.another?.(link) ?? null)
      if (other === null) throw error
      await this.#openOne(other).catch((second: unknown) => {
        throw tellBoth(error, second)
      })
      return other
    }
  }

  async #openOne(link: Link): Promise<void> {
    this.#creating = link
    try {
      await this.#options.open(link)
    } catch (error) {
      await link.close()
      throw error
    }
  }

  async #wait(): Promise<void> {
    const waitMs = this.#callableAt - Date.now()
    if (waitMs <= 0) return
    if (
      (this.state === 'failed' && this.#options.backoff.restMs !== null) ||
      waitMs > this.#options.backoff.patienceMs
    ) {
      const seconds = Math.ceil(waitMs / 1000)
      throw new HubError(
        'DOWNSTREAM_UNAVAILABLE',
        `'${this.#options.name}' failed and is tried again in ${seconds} s. Last error: ${this.lastError?.message ?? 'unknown'}`,
        { cause: this.lastError },
      )
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = null
  }

  #failed(cause: HubError): void {
    const { restMs, onDemandMs } = this.#options.backoff
    this.lastError = cause
    this.#failures++
    const isOut = this.#failures > this.#options.maxRestarts
    // What worked until a moment ago is opened again at once; that a start fails is worth a wait each time.
    const isFirstLoss = this.#wasLost && this.#failures === 1
    const backoffMs = isOut && restMs !== null ? restMs : isFirstLoss ? 0 : this.#nextWait()
    const askedMs = askedWait(cause)
    const callMs = onDemandMs === null ? backoffMs : this.#failures === 1 ? 0 : Math.min(backoffMs, onDemandMs)
    this.retryAt = Date.now() + Math.max(backoffMs, askedMs)
    this.#callableAt = Date.now() + Math.max(callMs, askedMs)
    this.#setState(isOut ? 'failed' : 'backoff')
  }

  #nextWait(): number {
    const { firstMs: first, maxMs: max } = this.#options.backoff
    return Math.min(first * 2 ** this.#waits++ * (1 + Math.random() / 2), max)
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

/** The first refusal says more, unless the second one is about a sign-in. */
export function tellBoth(first: unknown, second: unknown): unknown {
  if (!(first instanceof HubError) || (second instanceof HubError && second.code === 'SIGN_IN_REQUIRED')) return second
  const also = second instanceof Error ? second.message : String(second)
  return new HubError(first.code, `${first.message} Tried as the other kind of HTTP server: ${also}`, {
    cause: first,
    data: first.data,
  })
}

function toHubError(name: string, error: unknown): HubError {
  const message = error instanceof Error ? error.message : String(error)
  return new HubError('DOWNSTREAM_FAILED', `'${name}' refused the handshake: ${message}`, { cause: error })
}

async function leave(link: Link, closed: Promise<void>): Promise<void> {
  await closed.catch((error: Error) => link.owner.onRemark(`closing: ${error.message}`))
}

/** The longest pause that a server may ask for. */
const maxAskedMs = 3_600_000

/** The pause that the server asked for with Retry-After. */
function askedWait({ data }: HubError): number {
  const askedMs = (data as { retryAfterMs?: unknown } | undefined)?.retryAfterMs
  return typeof askedMs === 'number' ? Math.min(askedMs, maxAskedMs) : 0
}
