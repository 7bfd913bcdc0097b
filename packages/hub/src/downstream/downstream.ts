import { HubError, type Connector, type DownstreamHealth, type DownstreamState, type LogLine } from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { Guardian } from '../platform/guardian.ts'
import type { Log } from '../platform/log.ts'
import { isObject, type Call, type NotificationMessage, type Question } from '../wire/index.ts'
import { CallMeter } from './call-meter.ts'
import { createLink } from './create-link.ts'
import { DescriptorReader } from './descriptor-reader.ts'
import { noDescriptors, type DescriptorKind, type Descriptors } from './descriptors.ts'
import { endOverdue } from './end-overdue.ts'
import { HttpLink } from './http-link.ts'
import type { Known } from './known.ts'
import { LinkGroup, type LinkRole } from './link-group.ts'
import { LinkKeeper, networkBackoff, processBackoff } from './link-keeper.ts'
import { toErrorText, type Answer, type Link, type LinkOwner, type Pending } from './link.ts'
import { toLinkSettings, type TokenValues } from './link-settings.ts'
import { relayedCapabilities, RequestCall } from './request-call.ts'
import { StderrRing } from './stderr-ring.ts'
import type { Wishes } from './wishes.ts'

/** What a downstream reports to the hub. */
export interface DownstreamListener {
  onDescriptors(downstream: Downstream): void
  onNotification(downstream: Downstream, message: NotificationMessage): void
  onQuestion(
    downstream: Downstream,
    connectionId: string | null,
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer>
}

export interface DownstreamOutside {
  readonly guardian: Guardian
  readonly events: Events
  readonly log: Log
  readonly listener: DownstreamListener
  redact(text: string): string
}

const sweepMs = 500
/** An era found longer ago than this is probed again. */
const eraExpiryMs = 24 * 60 * 60 * 1000

/** The live side of a connector: its links, their supervision, its health and its descriptors. */
export class Downstream {
  readonly id: string
  readonly connector: Connector
  readonly ring: StderrRing
  known: Known | null
  readonly #outside: DownstreamOutside
  readonly #links: LinkGroup
  readonly #wishes: Wishes
  readonly #resent = new WeakSet<Call>()
  readonly #meter = new CallMeter()
  readonly #reader: DescriptorReader
  #sweep: NodeJS.Timeout | null = null
  #retry: NodeJS.Timeout | null = null
  #waiting = 0
  #lastHandshakeAt: Date | null = null
  #isStopped = false

  constructor(
    id: string,
    connector: Connector,
    outside: DownstreamOutside,
    from: { known: Known | null; wishes: Wishes },
  ) {
    this.id = id
    this.connector = connector
    this.#outside = outside
    this.known = from.known
    this.#wishes = from.wishes
    this.ring = new StderrRing(outside.redact)
    this.#links = new LinkGroup(connector, (role) => this.#createKeeper(role))
    this.#reader = new DescriptorReader({
      link: () => this.#links.shared.link,
      known: () => this.known,
      onRead: (read) => {
        this.known = read
        outside.listener.onDescriptors(this)
      },
      onError: (error) => this.#remember(error),
    })
  }

  get name(): string {
    return this.connector.name
  }

  get descriptors(): Descriptors {
    return this.known?.descriptors ?? noDescriptors
  }

  /** Opens the shared link and reads the descriptors. Failures are kept as health; they also reject. */
  async start(): Promise<void> {
    try {
      await this.#links.shared.get()
      await this.#reader.done
    } catch (error) {
      this.#scheduleRetry()
      throw error
    }
  }

  // A server that was never reached has nothing to show, so it is tried again; a crashing command only up to its cap.
  #scheduleRetry(): void {
    const isProcess = this.connector.transport === 'stdio'
    if (this.#isStopped || this.known !== null || (isProcess && this.#links.shared.state === 'failed')) return
    const waitMs = Math.max(1000, (this.#links.shared.retryAt ?? 0) - Date.now())
    if (this.#retry !== null) clearTimeout(this.#retry)
    // Its failure is remembered as health and leads here again.
    this.#retry = setTimeout(() => void this.start().catch(() => undefined), waitMs).unref()
  }

  /** Sends a call to this downstream; it always ends the call, in whatever way. */
  call(call: Call): void {
    const keeper = this.#links.for(call)
    const link = keeper.link
    if (link !== null && !link.isClosed) {
      if (link.pending.size >= this.connector.options.maxConcurrency)
        return call.fail(this.#overloaded(link.pending.size))
      return link.send(call)
    }
    if (this.#waiting >= this.connector.options.maxConcurrency) return call.fail(this.#overloaded(this.#waiting))
    void this.#callWhenOpen(keeper, call)
  }

  async #callWhenOpen(keeper: LinkKeeper, call: Call): Promise<void> {
    this.#waiting++
    try {
      const link = await keeper.get()
      if (!call.isDone) link.send(call)
    } catch (error) {
      call.fail(toHubError(this.name, error))
    } finally {
      this.#waiting--
    }
  }

  subscribe(uri: string): void {
    const count = (this.#wishes.subscriptions.get(uri) ?? 0) + 1
    this.#wishes.subscriptions.set(uri, count)
    if (count === 1) void this.#withLink((link) => link.subscribe(this.#wishes.uris, uri, null))
  }

  unsubscribe(uri: string): void {
    const count = (this.#wishes.subscriptions.get(uri) ?? 0) - 1
    if (count > 0) return void this.#wishes.subscriptions.set(uri, count)
    if (!this.#wishes.subscriptions.delete(uri)) return
    const { link } = this.#links.shared
    if (link !== null && !link.isClosed) link.subscribe(this.#wishes.uris, null, uri)
  }

  /** Tells a legacy server which log messages are wanted; a modern one hears it with each request. */
  setLogLevel(level: string): void {
    if (this.#wishes.logLevel === level) return
    this.#wishes.logLevel = level
    for (const { link } of this.#links.all()) {
      if (link !== null && !link.isClosed) this.#sendLogLevel(link)
    }
  }

  /** A client is gone: so is what was started for it alone. */
  closeConnection(connectionId: string): void {
    this.#links.closeConnection(connectionId)
  }

  /** Passes a notification of a client on, to the links that serve it. */
  notify(connectionId: string, message: NotificationMessage): void {
    for (const { link } of this.#links.of(connectionId)) {
      if (link !== null && !link.isClosed && link.era === 'legacy') link.post(message)
    }
  }

  health(): DownstreamHealth {
    const { shared } = this.#links
    const handshake = shared.link?.handshake ?? this.known?.handshake ?? null
    const serverInfo = handshake?.serverInfo
    return {
      state: shared.state,
      era: handshake?.era ?? null,
      revision: handshake?.revision ?? null,
      serverInfo: isObject(serverInfo) ? { name: '', version: '', ...serverInfo } : null,
      processId: shared.link?.processId ?? null,
      inFlight: this.inFlight,
      callCount: this.#meter.callCount,
      errorCount: this.#meter.errorCount,
      restartCount: this.#links.all().reduce((sum, keeper) => sum + keeper.restartCount, 0),
      latencyMs: this.#meter.latencyMs,
      lastError: this.#meter.lastError,
      lastHandshakeAt: this.#lastHandshakeAt?.toISOString() ?? null,
      retryAt: shared.retryAt === null ? null : new Date(shared.retryAt).toISOString(),
    }
  }

  get inFlight(): number {
    let count = this.#waiting
    for (const keeper of this.#links.all()) count += keeper.link?.pending.size ?? 0
    return count
  }

  logs(limit?: number): LogLine[] {
    return this.ring.last(limit)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#sweep !== null) clearInterval(this.#sweep)
    if (this.#retry !== null) clearTimeout(this.#retry)
    await this.#links.stop()
  }

  #createKeeper(role: LinkRole): LinkKeeper {
    const { name, options } = this.connector
    const connectionId = role.kind === 'connection' ? role.connectionId : null
    const keeper: LinkKeeper = new LinkKeeper({
      name,
      maxRestarts: options.maxRestarts,
      backoff: this.connector.transport === 'stdio' ? processBackoff : networkBackoff,
      create: () => {
        const capabilities = role.kind === 'connection' ? role.capabilities : relayedCapabilities
        const settings = toLinkSettings(this.connector, tokensFor(connectionId), capabilities)
        const outside = { ...this.#outside, onStderr: (line: string) => this.ring.add('stderr', line) }
        return createLink(settings, this.#createOwner(keeper, connectionId), outside)
      },
      // A link for legacy clients asks in their way first, since the server may speak both.
      open: (link) => link.open(role.kind === 'shared' ? this.#knownEra() : 'legacy'),
      onReady: (link) => this.#onReady(link, keeper, role),
      onState: (state) => {
        if (role.kind === 'shared') this.#onState(state, keeper)
      },
    })
    return keeper
  }

  #onState(state: DownstreamState, keeper: LinkKeeper): void {
    if (keeper.lastError !== null && (state === 'backoff' || state === 'failed')) this.#remember(keeper.lastError)
    const data = state === 'ready' ? { revision: keeper.link?.handshake?.revision } : {}
    this.#outside.events.emit(`downstream.${state}`, this.name, data)
  }

  #createOwner(keeper: LinkKeeper, connectionId: string | null): LinkOwner {
    return {
      onNotification: (message) => this.#onNotification(message, keeper),
      onQuestion: (question, signal) => this.#outside.listener.onQuestion(this, connectionId, question, signal),
      onUnsent: (call, cause) => this.#sendAgain(keeper, call, cause),
      onFinished: (pending, error) => this.#count(keeper, pending, error),
      onClosed: (link, cause) => keeper.lost(link, cause),
      onRemark: (text) => this.ring.add('hub', text),
    }
  }

  /** Only a call that the server certainly did not see comes here; it is sent once more, over a new link. */
  #sendAgain(keeper: LinkKeeper, call: Call, cause: HubError): void {
    const link = keeper.link
    if (link instanceof HttpLink && link.handshake !== null) link.lose(cause)
    if (this.#resent.has(call) || call.isDone) return call.fail(cause)
    this.#resent.add(call)
    void this.#callWhenOpen(keeper, call)
  }

  #onReady(link: Link, keeper: LinkKeeper, { kind }: LinkRole): void {
    this.#lastHandshakeAt = new Date()
    keeper.lastUsedAt = performance.now()
    this.#sweep ??= setInterval(() => this.#sweepLinks(), sweepMs).unref()
    this.#sendLogLevel(link)
    if (kind === 'twin' && link.era === 'modern') this.#links.giveUpTwin()
    if (kind !== 'shared') return
    const uris = this.#wishes.uris
    if (link.era === 'modern' && uris.size > 0) link.subscribe(uris, null, null)
    if (link.era === 'legacy') for (const uri of uris) link.subscribe(uris, uri, null)
    this.#reader.refresh()
  }

  #onNotification(message: NotificationMessage, keeper: LinkKeeper): void {
    const kinds = changedKinds.get(message.method)
    // Every link of the server reports the same changes; those of the shared one are enough.
    if (kinds !== undefined) {
      if (keeper === this.#links.shared) this.#reader.refresh(kinds)
    } else this.#outside.listener.onNotification(this, message)
  }

  #sweepLinks(): void {
    for (const { link } of this.#links.all()) {
      if (link !== null) endOverdue(link, this.connector, (error) => this.#fault(error))
    }
    const { idleTimeoutMs } = this.connector.options
    if (idleTimeoutMs > 0 && this.connector.transport === 'stdio') this.#restIdle(performance.now() - idleTimeoutMs)
  }

  /** Stops processes that nobody used since then; the next call starts them again. */
  #restIdle(since: number): void {
    for (const keeper of this.#links.all()) {
      const isKept =
        keeper === this.#links.shared &&
        (this.#wishes.subscriptions.size > 0 || this.connector.options.start === 'boot')
      if (isKept || keeper.link === null || keeper.link.pending.size > 0 || keeper.lastUsedAt > since) continue
      this.ring.add('hub', 'stopped because nobody used it; the next call starts it again')
      void keeper.rest()
    }
  }

  #count(keeper: LinkKeeper, pending: Pending, error: HubError | null): void {
    keeper.lastUsedAt = performance.now()
    // The hub's own requests say nothing about how clients fare.
    if (!(pending.call instanceof RequestCall)) this.#meter.count(keeper.lastUsedAt - pending.startedAt)
    if (error === null) keeper.succeeded()
    else this.#fault(error)
  }

  #fault(error: HubError): void {
    this.#meter.errorCount++
    this.#remember(error)
  }

  #remember(error: Error): void {
    const message = this.#outside.redact(error.message)
    this.#meter.remember(message)
    this.ring.add('hub', message)
  }

  async #withLink(use: (link: Link) => void): Promise<void> {
    try {
      const before = this.#links.shared.link
      const link = await this.#links.shared.get()
      // A link that had to be opened first has been told everything in `#onReady`.
      if (link === before) use(link)
    } catch (error) {
      this.#remember(error as Error)
    }
  }

  #sendLogLevel(link: Link): void {
    if (
      this.#wishes.logLevel === null ||
      link.era === 'modern' ||
      link.handshake?.capabilities['logging'] === undefined
    )
      return
    link
      .request('logging/setLevel', { level: this.#wishes.logLevel }, this.connector.options.handshakeTimeoutMs)
      .catch((error: Error) => this.ring.add('hub', `logging/setLevel: ${error.message}`))
  }

  #knownEra(): 'legacy' | 'modern' | null {
    const { known } = this
    return known !== null && Date.now() - known.fetchedAt.getTime() < eraExpiryMs ? known.handshake.era : null
  }

  #overloaded(count: number): HubError {
    return new HubError(
      'OVERLOADED',
      `'${this.name}' has ${count} calls under way, its limit. Try again, or raise --option maxConcurrency=N.`,
    )
  }
}

const changedKinds: ReadonlyMap<string, readonly DescriptorKind[]> = new Map([
  ['notifications/tools/list_changed', ['tools']],
  ['notifications/prompts/list_changed', ['prompts']],
  ['notifications/resources/list_changed', ['resources', 'resourceTemplates']],
])

function tokensFor(connectionId: string | null): TokenValues {
  return { cwd: process.cwd(), session_id: connectionId ?? '', thread_id: '', server_id: 'facade', hop_limit: '3' }
}

function toHubError(name: string, error: unknown): HubError {
  if (error instanceof HubError) return error
  return new HubError('INTERNAL', `The call could not be sent to '${name}': ${toErrorText(error)}`, { cause: error })
}
