import {
  HubError,
  type Connector,
  type DownstreamHealth,
  type IsolationView,
  type DownstreamProcess,
  type DownstreamState,
  type LogLine,
} from '@herma/contract'
import { relayedCapabilities, type Call, type Caller, type NotificationMessage } from '../wire/index.ts'
import type { ConnectorCredentials } from './authorization/credential/connector-credentials.ts'
import { promptSignIn } from './authorization/sign-in/prompt-sign-in.ts'
import { CallMeter } from './call-meter.ts'
import { createLink } from './link/create-link.ts'
import { describeHealth } from './describe-health.ts'
import type { DownstreamOrigin, DownstreamEnvironment } from './downstream-environment.ts'
import { DescriptorReader } from './descriptor/descriptor-reader.ts'
import { ListRefresh } from './descriptor/list-refresh.ts'
import { ToolLooks } from './descriptor/tool-looks.ts'
import { FailureLog } from './supervision/failure-log.ts'
import { emptyPack, type DescriptorPack } from './descriptor/descriptor-pack.ts'
import { changedKinds, descriptorKinds } from './descriptor/descriptors.ts'
import { describeProcesses } from './describe-processes.ts'
import { toDistinction, type Distinction } from './supervision/distinction.ts'
import { InputGatherer } from './link/gather-input.ts'
import { HttpLink } from './link/http/http-link.ts'
import type { Handshake } from './link/handshake.ts'
import type { Known } from './descriptor/known.ts'
import { LinkGroups, type GroupedRole } from './supervision/link-groups.ts'
import { LinkSupervisor, networkBackoff, processBackoff } from './supervision/link-supervisor.ts'
import { toErrorText, type Link, type LinkOwner, type Pending } from './link/link.ts'
import { LinkSweeper } from './supervision/link-sweeper.ts'
import { tokensFor, toLinkSettings, type TokenValues } from './link/link-settings.ts'
import { LogLevels } from './supervision/log-levels.ts'
import { maskTexts } from './descriptor/mask-texts.ts'
import { runsPackage } from './channel/package-runner.ts'
import { ProcessSharing } from './supervision/process-sharing.ts'
import { RequestCall } from './link/request-call.ts'
import { StderrRing } from './channel/stderr-ring.ts'
import { ResourceSubscriptions } from './supervision/resource-subscriptions.ts'
import { TransportChoice } from './link/http/transport-choice.ts'
import { WaitingLine } from './supervision/waiting-line.ts'

/** An era found longer ago than this is probed again. */
const eraExpiryMs = 24 * 60 * 60 * 1000

/** The live side of a connector: its links, their supervision, its health and its descriptors. */
export class Downstream {
  readonly id: string
  readonly connector: Connector
  readonly ring: StderrRing
  known: Known | null
  /** Those of the same connector that sessions have for themselves. */
  readonly bound = new Set<Downstream>()
  readonly #environment: DownstreamEnvironment
  readonly #credentials: ConnectorCredentials
  readonly #links: LinkGroups
  readonly #transport: TransportChoice
  readonly #logLevels: LogLevels
  readonly #subscriptions: ResourceSubscriptions
  readonly #line: WaitingLine
  readonly #input: InputGatherer
  readonly #sweeper: LinkSweeper
  readonly #resent = new WeakSet<Call>()
  readonly #meter = new CallMeter()
  readonly #reader: DescriptorReader
  readonly #looks: ToolLooks
  readonly #refresh: ListRefresh
  #retry: NodeJS.Timeout | null = null
  readonly #failureLogs = new WeakMap<LinkSupervisor, FailureLog>()
  readonly #origin: DownstreamOrigin
  /** Takes the calls that this one has not sent when it stops. */
  #successor: Downstream | null = null
  readonly #roles = new WeakMap<LinkSupervisor, GroupedRole>()
  readonly #sharing: ProcessSharing
  /** Why links ended by themselves. */
  readonly #endings = new WeakMap<Link, HubError>()
  #lastHandshakeAt: Date | null = null
  #isStopped = false

  constructor(id: string, connector: Connector, environment: DownstreamEnvironment, from: DownstreamOrigin) {
    this.id = id
    this.connector = connector
    this.#environment = environment
    this.known = from.known
    this.#origin = from
    this.#credentials = from.credentials
    this.ring = new StderrRing(environment.redact)
    this.#transport = new TransportChoice(connector, from.known?.handshake.transport ?? null)
    this.#sharing = new ProcessSharing(connector, {
      known: from.known?.distinctions ?? [],
      tools: () => this.descriptors.read('tools'),
      onDistinction: (distinction) => this.#onDistinction(distinction),
    })
    this.#links = new LinkGroups(connector, {
      create: (role) => this.#createSupervisor(role, from.tokens),
      known: () => this.#recentHandshake(),
      distinctions: this.#sharing.distinctions,
      isNeeded: (supervisor) => this.#subscriptions.wantedOn(supervisor).size > 0,
      isPersonal: from.credentials.isPersonal,
      reader: () => from.credentials.reader,
    })
    this.#logLevels = new LogLevels({
      demands: from.demands,
      timeoutMs: connector.options.handshakeTimeoutMs,
      links: () => this.#links.all().flatMap(({ link }) => (link === null || link.isClosed ? [] : link)),
      onError: (error) => this.ring.add('hub', `logging/setLevel: ${error.message}`),
    })
    this.#subscriptions = new ResourceSubscriptions(this.#links, from.demands, (error) => this.#remember(error))
    this.#line = new WaitingLine(id, connector, (call) => this.#trySend(call))
    this.#sweeper = new LinkSweeper({
      connector,
      links: this.#links,
      isNeeded: (supervisor) => this.#subscriptions.wantedOn(supervisor).size > 0,
      onOverdue: (error) => this.#fault(error),
      onRest: (text) => this.ring.add('hub', text),
      onSweep: (now) => {
        this.#line.advance()
        this.#line.endOverdue(now)
        this.#links.sweep(now)
        this.#refresh.sweep(this.#links.all(), now)
      },
    })
    this.#input = new InputGatherer({ connector: connector.name, connectorId: id }, (call) => this.call(call))
    this.#looks = new ToolLooks({
      id,
      connector,
      approvals: environment.approvals,
      reader: () => this.#reader,
      onApartDiffering: () => {
        const { link } = this.#links.shared
        if (link !== null) this.#reader.readAgain(link)
      },
      onRemark: (text) => this.ring.add('hub', text),
    })
    this.#reader = new DescriptorReader({
      looks: this.#looks.isOn ? this.#looks : undefined,
      known: () => this.known,
      redact: environment.redact,
      receive: (entries, handshake) => environment.ownHub?.receive(entries, handshake) ?? entries,
      // Names of resources tell about the one who has them.
      kinds: from.credentials.isPersonal ? descriptorKinds.filter((kind) => kind !== 'resources') : descriptorKinds,
      onRead: (read) => {
        this.known = { ...read, distinctions: [...this.#sharing.distinctions] }
        environment.listener.onDescriptors(this)
      },
      onLeftOut: (problems) => {
        for (const problem of problems) this.ring.add('hub', problem)
        environment.events.emit('downstream.limited', connector.name, { problems })
      },
      onError: (error) => this.#remember(error),
    })
    this.#refresh = new ListRefresh(connector, this.#reader, this.#looks)
  }

  get name(): string {
    return this.connector.name
  }

  /** What stands for `{server_id}`. */
  get serverId(): string | undefined {
    return this.#origin.tokens?.server_id
  }

  get descriptors(): DescriptorPack {
    return this.known?.descriptors ?? emptyPack
  }

  /** What the server offers beyond a limit, and which. */
  get leftOut(): readonly string[] {
    return this.#reader.leftOut
  }

  /** Opens the shared link and reads the descriptors. Failures are kept as health; they also reject. */
  async start(): Promise<void> {
    try {
      await this.#links.shared.get()
      this.#subscriptions.restore()
      await this.#reader.done
    } catch (error) {
      this.#scheduleRetry()
      throw error
    }
  }

  /** What was approved has changed: every link is compared with it again, before its next call. */
  reconsiderTools(): void {
    for (const { link } of this.#links.all()) if (link !== null) this.#looks.expire(link)
    for (const each of this.bound) each.reconsiderTools()
  }

  /** Resolves when the lists that have changed were read; null when none has. */
  listsRead(): Promise<unknown> | null {
    return this.#reader.current()
  }

  /** A person did something about what failed: it is tried again at once. */
  async retry(): Promise<void> {
    this.#links.rebase()
    for (const supervisor of this.#links.all()) supervisor.forgive()
    const { link } = this.#links.shared
    // Somebody else may be shown something else.
    if (link !== null) this.#reader.refresh(link, descriptorKinds)
    await this.start()
  }

  /** Looks at the server on behalf of a principal, to hear what it wants of that one. */
  async look(principal: string): Promise<void> {
    const supervisor = this.#links.firstOf(principal)
    await (supervisor === this.#links.shared ? this.start() : supervisor.get())
  }

  /** What a principal shows the server has changed: its links are opened anew. */
  async renewLinks(principal: string): Promise<void> {
    await Promise.all([this.#links.drop(principal), ...[...this.bound].map((each) => each.renewLinks(principal))])
  }

  // A server that was never reached has nothing to show, so it is tried again; a crashing command only up to its cap.
  #scheduleRetry(): void {
    const isProcess = this.connector.transport === 'stdio'
    if (this.#isStopped || this.known !== null || (isProcess && this.#links.shared.state === 'failed')) return
    if (needsPerson(this.#links.shared.lastError)) return
    const waitMs = Math.max(1000, (this.#links.shared.retryAt ?? 0) - Date.now())
    if (this.#retry !== null) clearTimeout(this.#retry)
    // Its failure is remembered as health and leads here again.
    this.#retry = setTimeout(() => void this.start().catch(() => undefined), waitMs).unref()
  }

  /** Sends a call to this downstream; it always ends the call, in whatever way. */
  call(call: Call): void {
    if (this.#trySend(call)) return
    if (this.#line.length >= this.connector.options.maxConcurrency)
      return call.fail(this.#overloaded(this.#line.length))
    this.#line.add(call)
  }

  /** False when the call has to wait in line. */
  #trySend(call: Call): boolean {
    let supervisor: LinkSupervisor | null
    try {
      supervisor = this.#links.for(call)
    } catch (error) {
      this.#fail(call, toHubError(this.name, error))
      return true
    }
    if (supervisor === null) return false
    const { link } = supervisor
    const { maxConcurrency } = this.connector.options
    if (link === null || link.isClosed || this.#logLevels.isLacking(call, link) || !this.#looks.permits(link, call)) {
      if (supervisor.waiting.size >= maxConcurrency) call.fail(this.#overloaded(supervisor.waiting.size))
      else void this.#callWhenOpen(supervisor, call)
    } else if (link.pending.size >= maxConcurrency) call.fail(this.#overloaded(link.pending.size))
    else link.send(call)
    return true
  }

  async #callWhenOpen(supervisor: LinkSupervisor, call: Call): Promise<void> {
    supervisor.waiting.add(call)
    try {
      const link = await this.#open(supervisor, call)
      if (this.#logLevels.isLacking(call, link)) await this.#logLevels.wantEvery()
      await this.#looks.admit(link, call)
      supervisor.waiting.delete(call)
      if (call.isDone) return
      // Now that more is known of the server, another link may be the right one.
      if (this.#links.for(call) === supervisor && !link.isClosed) return link.send(call)
      this.call(call)
      this.#links.release(supervisor)
    } catch (error) {
      this.#fail(call, toHubError(this.name, error))
    } finally {
      supervisor.waiting.delete(call)
    }
  }

  /** The open link. While a process that worked before is restarted, a call waits for more than one attempt. */
  async #open(supervisor: LinkSupervisor, call: Call): Promise<Link> {
    const until = Date.now() + supervisor.patienceMs
    for (;;) {
      try {
        return await supervisor.get()
      } catch (error) {
        const isWorthIt = this.connector.transport === 'stdio' && supervisor.isRestarting && !call.isDone
        if (!isWorthIt || (supervisor.retryAt ?? 0) > until) throw error
      }
    }
  }

  #fail(call: Call, error: HubError): void {
    if (this.#isStopped && this.#successor !== null && !call.isDone) return this.#successor.call(call)
    if (error.code !== 'SIGN_IN_REQUIRED') return call.fail(error)
    promptSignIn(call, error, {
      name: this.name,
      connectorId: this.id,
      credentials: this.#credentials,
      links: this.#environment.signInLinks,
      again: (again) => this.call(again),
    })
  }

  subscribe(uri: string, caller: Caller): void {
    this.#subscriptions.add(uri, caller)
  }

  unsubscribe(uri: string, caller: Caller): void {
    this.#subscriptions.remove(uri, caller)
  }

  setLogLevel(level: string): void {
    this.#logLevels.set(level)
  }

  /** A client is gone: so is what was started for it alone. */
  closeConnection(connectionId: string): void {
    this.#links.closeConnection(connectionId)
  }

  /** Passes a notification of a client on, to the link that serves it. */
  notify(caller: Caller, message: NotificationMessage): void {
    const link = this.#links.of(caller)?.link ?? null
    if (link !== null && !link.isClosed && link.era === 'legacy') link.post(message)
  }

  health(): DownstreamHealth {
    const health = describeHealth({
      supervisors: this.#links.all(),
      shared: this.#links.shared,
      known: this.known,
      meter: this.#meter,
      inFlight: this.inFlight,
      lastHandshakeAt: this.#lastHandshakeAt,
      leftOut: this.leftOut,
    })
    const processes = [
      ...this.processes(),
      ...[...this.bound].flatMap((each) =>
        each.processes().map((found) => ({ ...found, reason: `${found.reason}; of a session with values of its own` })),
      ),
    ]
    return { ...health, processes, serverInfo: maskTexts(health.serverInfo, this.#environment.redact) }
  }

  /** What is kept from its process, and what is not; null for one that has none. */
  touches(): IsolationView | null {
    if (this.connector.transport !== 'stdio') return null
    return this.#environment.isolator?.describe(this.connector) ?? null
  }

  /** The processes that run, each with the reason for it. */
  processes(): DownstreamProcess[] {
    return describeProcesses(this.#links.all(), (supervisor) => this.#roles.get(supervisor)!, {
      isolation: this.connector.options.isolation,
      isPersonal: this.#credentials.isPersonal,
      distinctions: this.#sharing.distinctions,
    })
  }

  get inFlight(): number {
    let count = this.#line.length
    for (const supervisor of this.#links.all()) count += supervisor.waiting.size + (supervisor.link?.pending.size ?? 0)
    for (const link of this.#sweeper.retired) count += link.pending.size
    return count
  }

  /** True while its last start failed. */
  get isFailing(): boolean {
    return this.#links.all().some(({ state }) => state === 'backoff' || state === 'failed')
  }

  logs(limit?: number): LogLine[] {
    return this.ring.last(limit)
  }

  /** Calls that were not sent so far go to the successor, which may be told later. */
  handOver(successor: Downstream): void {
    this.#successor = successor
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#subscriptions.stop()
    await Promise.all([this.#links.stop(), this.#sweeper.stop()])
    for (const call of this.#line.empty())
      this.#fail(call, new HubError('DOWNSTREAM_UNAVAILABLE', `'${this.name}' is stopped.`))
  }

  #createSupervisor(role: GroupedRole, of: Partial<TokenValues> | undefined): LinkSupervisor {
    const { name, options } = this.connector
    const connectionId = role.kind === 'connection' ? role.connectionId : null
    const create = (transport: TransportChoice['current']) => {
      const capabilities = role.kind === 'shared' ? relayedCapabilities : role.capabilities
      const { authorization } = this.#credentials.for(role.principal)
      const tokens = { ...tokensFor(connectionId, this.#environment.secretOf), ...of }
      const settings = toLinkSettings(this.connector, tokens, { connectorId: this.id, capabilities, authorization })
      const environment = { ...this.#environment, onStderr: (line: string) => this.ring.add('stderr', line) }
      const completed = { ...this.#credentials.complete(settings, role.principal), transport }
      return createLink(completed, this.#createOwner(supervisor, role, connectionId), environment)
    }
    const supervisor: LinkSupervisor = new LinkSupervisor({
      name,
      maxRestarts: options.maxRestarts,
      backoff: this.connector.transport === 'stdio' ? processBackoff : networkBackoff,
      free: this.#origin.free,
      install: this.#install(),
      create: () => create(this.#transport.current),
      another: (link) => {
        const transport = this.#transport.after(link)
        return transport === null ? null : create(transport)
      },
      open: (link) => this.#shakeHands(link, role),
      onReady: (link) => this.#onReady(link, supervisor, role),
      onState: (state) => this.#onState(state, supervisor, role),
    })
    this.#roles.set(supervisor, role)
    return supervisor
  }

  async #shakeHands(link: Link, role: GroupedRole): Promise<void> {
    // A link for legacy clients asks in their way first, since the server may speak both.
    await link.open(role.kind === 'shared' ? (this.#recentHandshake()?.era ?? null) : 'legacy')
    this.#environment.ownHub?.check(this.name, link.handshake!)
    // Another principal's lists may name what is its own.
    const part = !this.#links.isBase(role) ? 'apart' : role.kind === 'shared' ? 'base' : 'changes'
    this.#looks.open(link, part)
    if (part !== 'apart' || this.#looks.isOn) this.#reader.open(link, part)
    await this.#sharing.settle(link, role, this.#reader.heard(link))
    const cause = this.#endings.get(link)
    if (cause !== undefined) throw cause
  }

  /** Some clients have another process from now on. */
  #onDistinction(by: Distinction): void {
    this.#links.noteDistinction()
    this.#subscriptions.restore()
    this.#environment.events.emit('downstream.distinguished', this.name, { by })
    if (this.known === null) return
    this.known = { ...this.known, distinctions: [...this.#sharing.distinctions] }
    this.#environment.listener.onDescriptors(this)
  }

  /** A command that runs a package installs it at its first start, and when it takes long. */
  #install(): { isFirst(): boolean; afterMs: number } | undefined {
    const { transport, cmd = '', args, options, isolation } = this.connector
    const isContainer = isolation?.type === 'container'
    if (transport !== 'stdio' || !(isContainer || runsPackage({ command: cmd, args }))) return undefined
    return { isFirst: () => this.known === null, afterMs: options.handshakeTimeoutMs }
  }

  #onState(state: DownstreamState, supervisor: LinkSupervisor, role: GroupedRole): void {
    // That one principal has yet to sign in is no trouble of the server.
    if (supervisor.lastError !== null && (state === 'backoff' || state === 'failed') && this.#links.isBase(role))
      this.#remember(supervisor.lastError)
    const log = this.#failureLogOf(supervisor, role)
    if (state === 'backoff' || state === 'failed') return log.failed(state, supervisor.lastError?.message ?? '')
    if (state === 'starting' || state === 'installing') {
      // An attempt between two failures that are the same is no news.
      if (!log.isRepeating) this.#tell(state, {}, role)
      return
    }
    log.end()
    this.#tell(state, state === 'ready' ? { revision: supervisor.link?.handshake?.revision } : {}, role)
  }

  #failureLogOf(supervisor: LinkSupervisor, role: GroupedRole): FailureLog {
    const log = this.#failureLogs.get(supervisor) ?? new FailureLog((what, data) => this.#tell(what, data, role))
    this.#failureLogs.set(supervisor, log)
    return log
  }

  #tell(what: string, data: Record<string, unknown>, { principal }: GroupedRole): void {
    const whose = this.#credentials.isPersonal ? { principal } : {}
    this.#environment.events.emit(`downstream.${what}`, this.name, data, whose)
  }

  #createOwner(supervisor: LinkSupervisor, role: GroupedRole, connectionId: string | null): LinkOwner {
    return {
      onNotification: (message, addressee) => this.#onNotification(message, supervisor, addressee),
      onQuestion: (question, signal) => this.#environment.listener.onQuestion(this, connectionId, question, signal),
      onStrayQuestion: () => this.#links.noteStrayQuestion(role),
      onUnanswerable: (missing) => this.#sharing.note(toDistinction(missing)),
      onInputRequired: (call, input) => void this.#input.gather(call, input),
      onSignInRequired: (call, error) => this.#fail(call, error),
      onUnsent: (call, cause) => this.#sendAgain(supervisor, call, cause),
      onFinished: (pending, error) => this.#count(supervisor, pending, error),
      onDoubt: (link) => this.#refresh.doubt(link),
      onClosed: (link, cause) => {
        if (cause !== null) this.#endings.set(link, cause)
        this.#sweeper.retire(link)
        this.#reader.close(link)
        supervisor.lost(link, cause)
        this.#subscriptions.onLost(supervisor)
      },
      onRemark: (text) => this.ring.add('hub', text),
    }
  }

  /** Only a call that the server certainly did not see comes here; it is sent once more, over a new link. */
  #sendAgain(supervisor: LinkSupervisor, call: Call, cause: HubError): void {
    const link = supervisor.link
    if (link instanceof HttpLink && link.handshake !== null) link.lose(cause)
    if (this.#resent.has(call) || call.isDone) return call.fail(cause)
    this.#resent.add(call)
    void this.#callWhenOpen(supervisor, call)
  }

  #onReady(link: Link, supervisor: LinkSupervisor, role: GroupedRole): void {
    this.#lastHandshakeAt = new Date()
    this.#transport.opened(link)
    supervisor.lastUsedAt = performance.now()
    this.#sweeper.start()
    this.#links.opened(role, link.handshake!)
    void this.#logLevels.tell(link)
    this.#subscriptions.tell(supervisor)
  }

  #onNotification(message: NotificationMessage, supervisor: LinkSupervisor, addressee: string | null): void {
    const kinds = changedKinds.get(message.method)
    if (kinds === undefined) {
      const isFor = (caller: Caller) =>
        addressee === null ? this.#links.serves(supervisor, caller) : caller.connectionId === addressee
      return this.#environment.listener.onNotification(this, message, isFor)
    }
    const { link } = supervisor
    if (link === null) return
    if (kinds.includes('tools')) this.#looks.expire(link)
    this.#reader.refresh(link, kinds)
  }

  #count(supervisor: LinkSupervisor, pending: Pending, error: HubError | null): void {
    // The hub's own requests say nothing about how clients fare, and are no use that keeps a process.
    if (!(pending.call instanceof RequestCall)) {
      supervisor.lastUsedAt = performance.now()
      this.#meter.count(supervisor.lastUsedAt - pending.startedAt)
      if (error !== null && supervisor.link !== null) this.#refresh.doubt(supervisor.link)
    }
    if (error === null) {
      if (supervisor.link !== null) supervisor.succeeded(supervisor.link)
      // Whether the server was opened all the same is told by its supervisor.
    } else if (supervisor.link !== null || !(pending.call instanceof RequestCall)) this.#fault(error)
    this.#line.advance()
  }

  #fault(error: HubError): void {
    this.#meter.errorCount++
    this.#remember(error)
  }

  #remember(error: Error): void {
    const message = this.#environment.redact(error.message)
    this.#meter.remember(message)
    this.ring.add('hub', message)
  }

  #recentHandshake(): Handshake | null {
    const { known } = this
    return known !== null && Date.now() - known.fetchedAt.getTime() < eraExpiryMs ? known.handshake : null
  }

  #overloaded(count: number): HubError {
    return new HubError(
      'OVERLOADED',
      `'${this.name}' has ${count} calls under way, its limit. Try again, or raise --option maxConcurrency=N.`,
    )
  }
}

function toHubError(name: string, error: unknown): HubError {
  if (error instanceof HubError) return error
  return new HubError('INTERNAL', `The call could not be sent to '${name}': ${toErrorText(error)}`, { cause: error })
}

/** What only a person can change; asking again would not. */
function needsPerson(error: HubError | null): boolean {
  return error?.code === 'SIGN_IN_REQUIRED' || error?.code === 'CALL_CYCLE'
}
