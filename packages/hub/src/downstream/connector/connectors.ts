import {
  HubError,
  type Connector,
  type ConnectorInput,
  type ConnectorPatch,
  type ConnectorView,
  type DownstreamHealth,
  type LastTest,
  type LogLine,
  type SavedConnector,
  type StoredTestRequest,
  type TestReport,
  type TestRequest,
  type ToolSummary,
} from '@herma/contract'
import type { Redactor, Secrets } from '../../secret/index.ts'
import type { Authorizations } from '../authorization/authorizations.ts'
import { removeBrokenNpxCache } from '../test/broken-npx-cache.ts'
import type { ConnectorCredentials } from '../authorization/credential/connector-credentials.ts'
import {
  changeConnector,
  isSameClient,
  isSameDownstream,
  keepsServer,
  readConnector,
  secretValues,
} from './change/change-connector.ts'
import type { ConnectorEntry } from './connector-entry.ts'
import { toView } from './connector-view.ts'
import { describeChange } from './describe-change.ts'
import { requireHostCommand } from './host-command.ts'
import { Signal } from '../../platform/signal.ts'
import { Downstream } from '../downstream.ts'
import type { DownstreamEnvironment, DownstreamListener, DownstreamOrigin } from '../downstream-environment.ts'
import { keepKnown, toKnown, toSnapshot, type Known } from '../descriptor/known.ts'
import { findServerUrl, tokensFor, toLinkSettings } from '../link/link-settings.ts'
import { referencedSecrets } from './secret-reference.ts'
import { storeSecretsOf } from './store-secrets-of.ts'
import type { ConnectorStore, StoredConnector } from './store.ts'
import { testConnector } from '../test/test-connector.ts'
import { testUnstored } from '../test/test-unstored.ts'
import { facadeName } from '../../wire/index.ts'
import { mentions } from '../binding/bind-connector.ts'
import { ClientDemands } from '../supervision/client-demands.ts'

export type { ConnectorEntry } from './connector-entry.ts'

interface RegistryOptions {
  readonly store: ConnectorStore
  readonly redactor: Redactor
  /** Where values go that a connector should only refer to. */
  readonly secrets: Pick<Secrets, 'storeNew' | 'remove'>
  readonly authorizations: Authorizations
  readonly environment: Omit<DownstreamEnvironment, 'redact' | 'listener'>
  /** Hears what servers tell and ask clients. */
  readonly clients: Pick<DownstreamListener, 'onNotification' | 'onQuestion'>
  /** The served server that hosts a connector alone. */
  hostOf?(connectorId: string): string | undefined
  /** Exposed tools of a connector; the catalog knows them. */
  summarise(connectorId: string): ToolSummary[]
}

interface SaveOptions {
  /** Whether values that look like secrets get names, and references in their places. */
  readonly storeSecrets?: boolean
}

/** How long lists wait for a connector that was never seen before, counted from its start. */
const firstLookMs = 10_000
/** The same after a person did something about it, who waits for it too. */
const nextLookMs = 5000

/** How long the end of the hub waits for installs, which leave a broken cache when they are killed. */
const installGraceMs = 20_000
/** How long a name that nobody has waits for lists that are being read. */
const listReadMs = 10_000

/** All connectors: their rows, their downstreams, and every change of either while clients are connected. */
export class Connectors {
  /** Connectors came, or changed their names or descriptors. */
  readonly changed = new Signal<[entries: readonly ConnectorEntry[]]>()
  readonly removed = new Signal<[entry: ConnectorEntry]>()
  readonly #options: RegistryOptions
  readonly #entries = new Map<string, ConnectorEntry>()
  /** Starts of downstreams whose descriptors are not known yet. */
  readonly #firstLooks = new Map<Downstream, Promise<void>>()
  /** Downstreams on their way out. */
  readonly #retiring = new Set<Promise<void>>()
  readonly #demands = new Map<string, ClientDemands>()
  readonly #installsEnd = new AbortController()
  readonly #listener: DownstreamListener
  #logLevel: string | null = null
  /** Changes are made one at a time, so that two of the same connector cannot cross. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(options: RegistryOptions) {
    this.#options = options
    const { clients } = options
    this.#listener = {
      onDescriptors: (downstream) => void this.#saveDescriptors(downstream),
      onNotification: (...told) => clients.onNotification(...told),
      onQuestion: (...asked) => clients.onQuestion(...asked),
    }
  }

  /** Reads what is stored; nothing is reached so far. */
  async load(): Promise<void> {
    const { store, authorizations } = this.#options
    const [rows, snapshots] = await Promise.all([store.loadAll(), store.loadSnapshots(), authorizations.start()])
    const entries = rows.map((stored) => {
      const snapshot = snapshots.get(stored.id)
      return this.#place(stored, snapshot === undefined ? null : toKnown(snapshot))
    })
    this.changed.tell(entries)
  }

  /** Reaches the servers that are wanted from the start. */
  start(): void {
    for (const { stored, downstream, known } of this.#entries.values()) {
      if (downstream === null) continue
      const { transport, options } = stored.connector
      // A process waits for its first use when its descriptors are known; looking at an HTTP server costs nothing.
      if (options.start === 'boot' || known === null || transport !== 'stdio') this.#startSoon(downstream)
    }
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#installsEnd.abort(), installGraceMs).unref()
    await this.#changes
    await Promise.all(this.#retiring)
    await Promise.all([...this.#entries.values()].map((entry) => entry.downstream?.stop()))
    clearTimeout(timer)
  }

  /** Served entries in the order of their creation. */
  entries(): ConnectorEntry[] {
    return [...this.#entries.values()].toSorted((a, b) => a.stored.position - b.stored.position)
  }

  /** Resolves when every connector was looked at once, or took too long; null when that has happened already. */
  settled(): Promise<unknown> | null {
    return this.#firstLooks.size === 0 ? null : Promise.all(this.#firstLooks.values())
  }

  /** The same for one connector alone. */
  settledOne(id: string): Promise<unknown> | null {
    const downstream = this.byId(id)
    return downstream === null ? null : (this.#firstLooks.get(downstream) ?? null)
  }

  /**
   * Resolves when the lists are read of those servers whose name this could be, or took too long; null when none is being
   * read. A hosted server has names without a prefix.
   */
  namesRead(name: string, host?: string): Promise<unknown> | null {
    const reading = [...this.#entries.values()].flatMap(({ stored: { id, connector }, downstream }) => {
      const { prefix = connector.name } = connector.options
      const mayHave = host === undefined ? prefix === '' || name.startsWith(`${prefix}__`) : id === host
      return (mayHave ? downstream?.listsRead() : null) ?? []
    })
    if (reading.length === 0) return null
    const limit = new Promise((resolve) => setTimeout(resolve, listReadMs).unref())
    return Promise.race([Promise.all(reading), limit])
  }

  /**
   * A person did something about what failed. Resolves when the server was looked at again, or took too long; how it went
   * shows in its health.
   */
  lookAgain(downstream: Downstream): Promise<void> {
    const looked = downstream.retry().catch(() => undefined)
    return this.#awaitLook(downstream, looked, nextLookMs)
  }

  /** The level that every server is told, now and when it starts. */
  setLogLevel(level: string): void {
    this.#logLevel = level
    for (const { downstream } of this.#entries.values()) downstream?.setLogLevel(level)
  }

  byId(id: string): Downstream | null {
    return this.entryOf(id)?.downstream ?? null
  }

  entryOf(id: string): ConnectorEntry | undefined {
    return this.#entries.get(id)
  }

  list(): ConnectorView[] {
    return this.entries().map(toView)
  }

  get(name: string): ConnectorView {
    return toView(this.find(name))
  }

  add(input: ConnectorInput, options: SaveOptions = {}): Promise<SavedConnector> {
    return this.#change(async () => {
      const connector = readConnector(input)
      this.#requireAllowed(connector)
      this.#options.environment.ownHub?.refuse(connector)
      const { stored, storedSecrets } = await this.#store(connector, options, (each) =>
        this.#options.store.insert(each),
      )
      const entry = this.#enter(stored, null)
      this.#options.environment.events.emit('connector.added', connector.name, { transport: connector.transport })
      if (entry.downstream !== null) this.#startSoon(entry.downstream)
      return { ...toView(entry), storedSecrets }
    })
  }

  update(name: string, patch: ConnectorPatch, options: SaveOptions = {}): Promise<SavedConnector> {
    return this.#change(async () => {
      const before = this.find(name)
      const given = changeConnector(before.stored.connector, patch)
      this.#requireAllowed(given, before.stored.connector)
      // One that became the hub itself later can still be switched off.
      if (!keepsServer(before.stored.connector, given)) this.#options.environment.ownHub?.refuse(given)
      const { stored, storedSecrets } = await this.#store(given, options, (each) =>
        this.#options.store.update(before.stored.id, each, before.stored),
      )
      const { connector } = stored
      this.#options.environment.events.emit('connector.changed', connector.name, describeChange(before, stored))
      const { downstream } = before
      if (downstream !== null && connector.enabled && isSameDownstream(before.stored.connector, connector)) {
        return { ...toView(this.#keep(before, stored)), storedSecrets }
      }
      return { ...toView(this.#replace(before, stored)), storedSecrets }
    })
  }

  /** Stores the row, with its secrets before it when they shall have names: both, or neither. */
  async #store(
    connector: Connector,
    { storeSecrets = false }: SaveOptions,
    save: (connector: Connector) => Promise<StoredConnector>,
  ): Promise<{ stored: StoredConnector; storedSecrets: string[] }> {
    if (!storeSecrets) return { stored: await save(connector), storedSecrets: [] }
    return storeSecretsOf(connector, this.#options.secrets, save)
  }

  /** Names of the connectors that refer to a secret. */
  usersOf(secret: string): string[] {
    return this.entries().flatMap(({ stored: { connector } }) =>
      referencedSecrets(connector).has(secret) ? connector.name : [],
    )
  }

  /** A secret is another one: what was started with the old one begins anew. */
  renewUsersOf(secret: string): Promise<void> {
    return this.#change(async () => {
      for (const name of this.usersOf(secret)) {
        const before = this.find(name)
        this.#replace(before, before.stored)
      }
    })
  }

  /** Servers may host other connectors now: what was told another server's name begins anew. */
  reviewHosts(): Promise<void> {
    const isStale = ({ stored: { id, connector }, downstream }: ConnectorEntry) =>
      mentions(connector, '{server_id}') && (downstream?.serverId ?? this.#serverId(id)) !== this.#serverId(id)
    return this.#change(async () => {
      for (const entry of this.entries()) if (isStale(entry)) this.#replace(entry, entry.stored)
    })
  }

  #serverId(id: string): string {
    return this.#options.hostOf?.(id) ?? facadeName
  }

  remove(name: string): Promise<void> {
    return this.#change(async () => {
      const entry = this.find(name)
      await this.#options.store.remove(entry.stored.id)
      this.#entries.delete(entry.stored.id)
      this.#options.redactor.remove(entry.stored.id)
      this.#options.authorizations.remove(entry.stored.id)
      this.#options.environment.events.limits.delete(entry.stored.connector.name)
      this.removed.tell(entry)
      this.#options.environment.events.emit('connector.removed', entry.stored.connector.name)
      this.#demands.delete(entry.stored.id)
      if (entry.downstream !== null) void this.#retire(entry.downstream)
    })
  }

  /** Tests a stored connector, perhaps with changes, with a downstream of its own, without touching the one in use. */
  async test(name: string, { changes, ...request }: StoredTestRequest = {}): Promise<TestReport> {
    const { stored, credentials } = this.find(name)
    if (changes !== undefined) {
      const connector = changeConnector(stored.connector, changes)
      this.#requireAllowed(connector, stored.connector)
      return this.#testUnstored(connector, request, isSameClient(stored.connector, connector) ? credentials : null)
    }
    const at = new Date().toISOString()
    const report = await testConnector(stored.connector, request, { ...this.#environment(), credentials })
    const ms = report.stages.reduce((sum, stage) => sum + stage.ms, 0)
    await this.#noteTest(stored.id, { at, ok: report.ok, ms, cause: report.cause })
    const downstream = this.byId(stored.id)
    // It works again, and nobody has to wait until it would be tried by itself.
    if (report.ok && downstream?.isFailing === true) void this.lookAgain(downstream)
    return report
  }

  /** Removes a folder that a test named; nothing else is ever removed. */
  async removeBrokenCache(name: string, folder: string): Promise<void> {
    const { stored, downstream } = this.find(name)
    const of = { connectorId: stored.id, capabilities: {}, authorization: null }
    const tokens = tokensFor(null, this.#options.environment.secretOf)
    await removeBrokenNpxCache(toLinkSettings(stored.connector, tokens, of), folder)
    this.#options.environment.events.emit('connector.cache-removed', name, { folder })
    if (downstream !== null) void this.lookAgain(downstream)
  }

  /** Tests a connector that is not stored yet. */
  async testInput(input: ConnectorInput, request: TestRequest = {}): Promise<TestReport> {
    const connector = readConnector(input)
    this.#requireAllowed(connector)
    return this.#testUnstored(connector, request, null)
  }

  /** Who may choose what runs here; `before` runs already. */
  #requireAllowed(connector: Connector, before?: Connector): void {
    requireHostCommand(this.#options.environment.hostPolicy, connector, before)
  }

  #testUnstored(connector: Connector, request: TestRequest, credentials: ConnectorCredentials | null) {
    const { redactor, authorizations } = this.#options
    return testUnstored(connector, request, { redactor, authorizations, environment: this.#environment(), credentials })
  }

  health(name: string): DownstreamHealth {
    return this.get(name).health
  }

  tools(name: string): ToolSummary[] {
    return this.#options.summarise(this.find(name).stored.id)
  }

  /** Last lines of standard error and of the hub's own remarks, oldest first. */
  logs(name: string, limit?: number): LogLine[] {
    return this.find(name).downstream?.logs(limit) ?? []
  }

  /** The descriptors of a downstream were read anew. */
  async #saveDescriptors(downstream: Downstream): Promise<void> {
    const entry = this.#entries.get(downstream.id)
    const { known } = downstream
    if (entry?.downstream !== downstream || known === null) return
    this.changed.tell([entry])
    try {
      await this.#options.store.saveSnapshot(downstream.id, toSnapshot(known))
    } catch (error) {
      downstream.ring.add('hub', `the descriptors could not be stored: ${(error as Error).message}`)
    }
  }

  /** Whoever tested gets the report even if it cannot be kept. */
  async #noteTest(id: string, lastTest: LastTest): Promise<void> {
    const { store, environment } = this.#options
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.set(id, { ...entry, stored: { ...entry.stored, lastTest } })
    const { name } = entry.stored.connector
    environment.events.emit('connector.tested', name, { ok: lastTest.ok, ms: lastTest.ms, cause: lastTest.cause })
    await store.saveTest(id, lastTest).catch((error: unknown) => {
      environment.log.warn('a test could not be kept', { name, error })
    })
  }

  #enter(stored: StoredConnector, known: Known | null, free?: Promise<void>): ConnectorEntry {
    const entry = this.#place(stored, known, free)
    this.changed.tell([entry])
    return entry
  }

  #place(stored: StoredConnector, known: Known | null, free?: Promise<void>): ConnectorEntry {
    const { connector, id, problem } = stored
    this.#options.redactor.set(id, secretValues(connector, this.#options.environment.secretOf))
    this.#options.environment.events.limits.set(connector.name, connector.options.maxEventsPerMinute)
    const isServed = connector.enabled && problem === null
    const credentials = this.#options.authorizations.of(id, connector, findServerUrl(connector, this.#serverId(id)))
    const downstream = isServed ? this.#create(stored, { known, credentials, free }) : null
    const entry = { stored, downstream, known, credentials }
    this.#entries.set(id, entry)
    return entry
  }

  #create({ id, connector }: StoredConnector, from: Omit<DownstreamOrigin, 'demands'>): Downstream {
    const demands = this.#demands.get(id) ?? new ClientDemands()
    demands.logLevel = this.#logLevel
    this.#demands.set(id, demands)
    const tokens = { server_id: this.#serverId(id) }
    return new Downstream(id, connector, this.#environment(), { ...from, demands, tokens })
  }

  /** Clients see the change at once; the new process waits until the old one has let go of what both may need. */
  #replace(before: ConnectorEntry, stored: StoredConnector): ConnectorEntry {
    const { downstream } = before
    const known = downstream === null ? before.known : downstream.known
    const retired = downstream === null ? Promise.resolve() : this.#retire(downstream)
    const kept = keepKnown(known, before.stored.connector, stored.connector)
    const entry = this.#enter(stored, kept, retired)
    if (entry.downstream !== null) {
      // Before the calls that wait there hear that it is stopped, which takes a moment.
      downstream?.handOver(entry.downstream)
      this.#startSoon(entry.downstream, retired)
    }
    return entry
  }

  #retire(downstream: Downstream): Promise<void> {
    const retired = downstream
      .stop()
      .catch((error: Error) =>
        this.#options.environment.log.error('a downstream did not stop', { name: downstream.name, error }),
      )
      .finally(() => this.#retiring.delete(retired))
    this.#retiring.add(retired)
    return retired
  }

  /** Only words changed: the downstream goes on untouched. */
  #keep(before: ConnectorEntry, stored: StoredConnector): ConnectorEntry {
    const entry = { ...before, stored }
    this.#entries.set(stored.id, entry)
    this.changed.tell([entry])
    return entry
  }

  // A failed start is part of the downstream's health; only lists wait for the first one, and not for long.
  #startSoon(downstream: Downstream, retired: Promise<void> = Promise.resolve()): void {
    const isCurrent = () => this.#entries.get(downstream.id)?.downstream === downstream
    const started = retired
      .then(() => (isCurrent() ? downstream.start() : undefined))
      .catch((error: Error) =>
        this.#options.environment.events.emit('downstream.unreachable', downstream.name, {
          reason: this.#options.redactor.redact(error.message),
        }),
      )
    void this.#awaitLook(downstream, started, firstLookMs)
  }

  /** Waits for a look at a server, and so does everybody who lists or looks for a name where it is the first one. */
  async #awaitLook(downstream: Downstream, looked: Promise<void>, limitMs: number): Promise<void> {
    const limit = new Promise<void>((resolve) => setTimeout(resolve, limitMs).unref())
    const look = Promise.race([looked, limit])
    if (downstream.known === null) this.#firstLooks.set(downstream, look)
    await look
    // Another one may have begun meanwhile.
    if (this.#firstLooks.get(downstream) === look) this.#firstLooks.delete(downstream)
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(make)
    this.#changes = made.catch(() => undefined)
    return made
  }

  #environment(): DownstreamEnvironment {
    const redact = (text: string) => this.#options.redactor.redact(text)
    return { ...this.#options.environment, listener: this.#listener, redact, installsEnd: this.#installsEnd.signal }
  }

  /** Throws CONNECTOR_NOT_FOUND, naming those that there are. */
  find(name: string): ConnectorEntry {
    for (const entry of this.#entries.values()) {
      if (entry.stored.connector.name.toLowerCase() === name.toLowerCase()) return entry
    }
    const names = this.entries().map((entry) => entry.stored.connector.name)
    const hint =
      names.length === 0 ? 'There is none yet. Add one with: herma add' : `There are: ${names.slice(0, 20).join(', ')}`
    throw new HubError('CONNECTOR_NOT_FOUND', `No connector is named '${name}'. ${hint}`)
  }
}
