import {
  ConnectorInput,
  ConnectorPatch,
  HubError,
  type Connector,
  type ConnectorView,
  type DownstreamHealth,
  type LogLine,
  type NamedValue,
  type NamedValueView,
  type TestReport,
  type TestRequest,
  type ToolSummary,
} from '@herma/contract'
import type { z } from 'zod'
import { isSecretName, type Redactor } from '../secret/index.ts'
import type { ConnectorService } from './connector-service.ts'
import { Downstream, type DownstreamOutside, type Known } from './downstream.ts'
import type { ConnectorStore, StoredConnector } from './store.ts'
import { testConnector } from './test-connector.ts'

/** What the book tells the rest of the hub. */
export interface BookListener {
  /** A connector came, changed its names or descriptors, or went. */
  onCatalogChange(entry: BookEntry): void
  onRemove(entry: BookEntry): void
}

export interface BookEntry {
  readonly stored: StoredConnector
  /** Null while the connector is disabled or broken. */
  readonly downstream: Downstream | null
}

interface BookOptions {
  readonly store: ConnectorStore
  readonly redactor: Redactor
  readonly outside: Omit<DownstreamOutside, 'redact'>
  readonly listener: BookListener
  /** Exposed tools of a connector; the catalog knows them. */
  summarise(connectorId: string): ToolSummary[]
}

/** All connectors: their rows, their downstreams, and every change of either while clients are connected. */
export class ConnectorBook implements ConnectorService {
  readonly #options: BookOptions
  readonly #entries = new Map<string, BookEntry>()
  /** Starts of downstreams whose descriptors are not known yet. */
  readonly #firstLooks = new Set<Promise<void>>()
  /** Changes are made one at a time, so that two of the same connector cannot cross. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(options: BookOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const [rows, snapshots] = await Promise.all([this.#options.store.loadAll(), this.#options.store.loadSnapshots()])
    for (const stored of rows) {
      const snapshot = snapshots.get(stored.id)
      const known = snapshot === undefined ? null : toKnown(snapshot)
      const entry = this.#enter(stored, known)
      if (entry.downstream === null) continue
      const { start } = stored.connector.options
      // A process waits for its first use when its descriptors are known; looking at an HTTP server costs nothing.
      if (start === 'boot' || known === null || stored.connector.transport !== 'stdio')
        this.#startSoon(entry.downstream)
    }
  }

  async stop(): Promise<void> {
    await this.#changes
    await Promise.all([...this.#entries.values()].map((entry) => entry.downstream?.stop()))
  }

  /** Served entries in the order of their creation. */
  entries(): BookEntry[] {
    return [...this.#entries.values()].toSorted((a, b) => a.stored.position - b.stored.position)
  }

  /** Resolves when every connector was looked at once, or at the limit; null when that has happened already. */
  settled(limitMs: number): Promise<unknown> | null {
    if (this.#firstLooks.size === 0) return null
    const limit = new Promise((resolve) => setTimeout(resolve, limitMs).unref())
    return Promise.race([Promise.all(this.#firstLooks), limit])
  }

  byId(id: string): Downstream | null {
    return this.#entries.get(id)?.downstream ?? null
  }

  list(): ConnectorView[] {
    return this.entries().map(toView)
  }

  get(name: string): ConnectorView {
    return toView(this.#find(name))
  }

  add(input: ConnectorInput): Promise<ConnectorView> {
    return this.#change(async () => {
      const connector = withSecretFlags(parse(ConnectorInput, input))
      requireSecretValues(connector)
      const stored = await this.#options.store.insert(connector)
      const entry = this.#enter(stored, null)
      this.#options.outside.events.emit('connector.added', connector.name, { transport: connector.transport })
      if (entry.downstream !== null) this.#startSoon(entry.downstream)
      return toView(entry)
    })
  }

  update(name: string, patch: ConnectorPatch): Promise<ConnectorView> {
    return this.#change(async () => {
      const before = this.#find(name)
      const connector = applyPatch(before.stored.connector, parse(ConnectorPatch, patch))
      const stored = await this.#options.store.update(before.stored.id, connector)
      const isSame =
        before.downstream !== null && connector.enabled && isSameDownstream(before.stored.connector, connector)
      const known = before.downstream?.known ?? null
      if (!isSame) await before.downstream?.stop()
      const entry = isSame
        ? this.#keep(before, stored)
        : this.#enter(stored, isSameServer(before.stored.connector, connector) ? known : null)
      this.#options.outside.events.emit('connector.changed', connector.name, { fields: Object.keys(patch) })
      if (!isSame && entry.downstream !== null) this.#startSoon(entry.downstream)
      return toView(entry)
    })
  }

  remove(name: string): Promise<void> {
    return this.#change(async () => {
      const entry = this.#find(name)
      await this.#options.store.remove(entry.stored.id)
      this.#entries.delete(entry.stored.id)
      this.#options.redactor.remove(entry.stored.id)
      this.#options.listener.onRemove(entry)
      this.#options.outside.events.emit('connector.removed', entry.stored.connector.name)
      await entry.downstream?.stop()
    })
  }

  test(name: string, request: TestRequest = {}): Promise<TestReport> {
    return testConnector(this.#find(name).stored.connector, request, this.#outside())
  }

  async testInput(input: ConnectorInput, request: TestRequest = {}): Promise<TestReport> {
    return testConnector(parse(ConnectorInput, input), request, this.#outside())
  }

  health(name: string): DownstreamHealth {
    return this.get(name).health
  }

  tools(name: string): ToolSummary[] {
    return this.#options.summarise(this.#find(name).stored.id)
  }

  logs(name: string, limit?: number): LogLine[] {
    return this.#find(name).downstream?.logs(limit) ?? []
  }

  /** Called by a downstream whose descriptors were read anew. */
  async saveDescriptors(downstream: Downstream): Promise<void> {
    const entry = this.#entries.get(downstream.id)
    const { known } = downstream
    if (entry?.downstream !== downstream || known === null) return
    this.#options.listener.onCatalogChange(entry)
    const { era, revision, result } = known.handshake
    try {
      await this.#options.store.saveSnapshot(downstream.id, {
        ...known.descriptors,
        fetchedAt: known.fetchedAt,
        era,
        revision,
        handshake: result,
      })
    } catch (error) {
      downstream.ring.add('hub', `the descriptors could not be stored: ${(error as Error).message}`)
    }
  }

  #enter(stored: StoredConnector, known: Known | null): BookEntry {
    const { connector, id, problem } = stored
    this.#options.redactor.set(id, secretValues(connector))
    const isServed = connector.enabled && problem === null
    const entry = { stored, downstream: isServed ? new Downstream(id, connector, this.#outside(), known) : null }
    this.#entries.set(id, entry)
    this.#options.listener.onCatalogChange(entry)
    return entry
  }

  /** Only words changed: the downstream goes on untouched. */
  #keep(before: BookEntry, stored: StoredConnector): BookEntry {
    const entry = { stored, downstream: before.downstream }
    this.#entries.set(stored.id, entry)
    this.#options.listener.onCatalogChange(entry)
    return entry
  }

  // A failed start is part of the downstream's health; nobody waits for this one.
  #startSoon(downstream: Downstream): void {
    downstream
      .start()
      .catch((error: Error) =>
        this.#options.outside.events.emit('downstream.unreachable', downstream.name, {
          reason: this.#options.redactor.redact(error.message),
        }),
      )
  }

  #change<T>(make: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(make)
    this.#changes = made.catch(() => undefined)
    return made
  }

  #outside(): DownstreamOutside {
    return { ...this.#options.outside, redact: (text) => this.#options.redactor.redact(text) }
  }

  #find(name: string): BookEntry {
    for (const entry of this.#entries.values()) {
      if (entry.stored.connector.name.toLowerCase() === name.toLowerCase()) return entry
    }
    const names = this.entries().map((entry) => entry.stored.connector.name)
    const hint =
      names.length === 0 ? 'There is none yet. Add one with: herma add' : `There are: ${names.slice(0, 20).join(', ')}`
    throw new HubError('CONNECTOR_NOT_FOUND', `No connector is named '${name}'. ${hint}`)
  }
}

function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const first = result.error.issues[0]!
  throw new HubError('CONNECTOR_INVALID', `${first.path.join('.') || 'connector'}: ${first.message}`, {
    cause: result.error,
  })
}

function withSecretFlags(connector: Connector): Connector {
  const flag = (entry: NamedValue) => ({ ...entry, secret: entry.secret ?? isSecretName(entry.name) })
  return { ...connector, headers: connector.headers.map(flag), env: connector.env.map(flag) }
}

function requireSecretValues(connector: Connector): void {
  const missing = [...connector.headers, ...connector.env].find((entry) => entry.value === undefined)
  if (missing !== undefined)
    throw new HubError('CONNECTOR_INVALID', `'${missing.name}' has no value and none is stored.`)
}

function applyPatch(before: Connector, patch: ConnectorPatch): Connector {
  const merged: Record<string, unknown> = { ...before }
  for (const [field, value] of Object.entries(patch)) {
    if (value !== undefined) merged[field] = value === null ? undefined : value
  }
  merged['options'] = { ...before.options, ...patch.options }
  if (patch.headers !== undefined) merged['headers'] = keepStored(before.headers, patch.headers)
  if (patch.env !== undefined) merged['env'] = keepStored(before.env, patch.env)
  const connector = withSecretFlags(parse(ConnectorInput, merged))
  requireSecretValues(connector)
  return connector
}

/** An entry that comes without a value keeps the one that is stored under its name. */
function keepStored(before: readonly NamedValue[], after: readonly NamedValue[]): NamedValue[] {
  return after.map((entry) => {
    if (entry.value !== undefined) return entry
    const stored = before.find((candidate) => candidate.name.toLowerCase() === entry.name.toLowerCase())
    return { ...entry, value: stored?.value, secret: entry.secret ?? stored?.secret }
  })
}

const wordFields = new Set(['name', 'description', 'notes', 'kind'])

/** True when a running downstream can stay as it is. */
function isSameDownstream(before: Connector, after: Connector): boolean {
  return (
    before.name === after.name &&
    fingerprint(before, wordFields, ['prefix']) === fingerprint(after, wordFields, ['prefix'])
  )
}

/** True when the server behind is the same, so that its descriptors still hold until they are read again. */
function isSameServer(before: Connector, after: Connector): boolean {
  const ignored = new Set([...wordFields, 'enabled', 'options', 'headers', 'env'])
  return fingerprint(before, ignored, []) === fingerprint(after, ignored, [])
}

function fingerprint(connector: Connector, ignored: ReadonlySet<string>, ignoredOptions: readonly string[]): string {
  const fields = Object.entries(connector).filter(([field]) => !ignored.has(field))
  const plain = fields.map(([field, value]) => {
    if (field !== 'options') return [field, value]
    return [
      field,
      Object.entries(value as object)
        .filter(([name]) => !ignoredOptions.includes(name))
        .toSorted(),
    ]
  })
  return JSON.stringify(plain.toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))))
}

function secretValues(connector: Connector): string[] {
  return [...connector.headers, ...connector.env].flatMap((entry) =>
    entry.secret && entry.value !== undefined ? [entry.value] : [],
  )
}

function toKnown(
  snapshot: Awaited<ReturnType<ConnectorStore['loadSnapshots']>> extends Map<string, infer S> ? S : never,
): Known {
  const { tools, resources, resourceTemplates, prompts, fetchedAt, era, revision, handshake } = snapshot
  const result = (handshake ?? {}) as Record<string, unknown>
  const list = (entries: unknown[]) => entries as Record<string, unknown>[]
  return {
    descriptors: {
      tools: list(tools),
      resources: list(resources),
      resourceTemplates: list(resourceTemplates),
      prompts: list(prompts),
    },
    handshake: {
      era,
      revision,
      capabilities: (result['capabilities'] ?? {}) as Record<string, unknown>,
      serverInfo: (result['serverInfo'] ??
        (result['_meta'] as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/serverInfo'] ??
        null) as Record<string, unknown> | null,
      instructions: typeof result['instructions'] === 'string' ? result['instructions'] : null,
      result: handshake,
    },
    fetchedAt,
  }
}

function toView(entry: BookEntry): ConnectorView {
  const { stored, downstream } = entry
  const { connector } = stored
  const descriptors = downstream?.descriptors
  return {
    id: stored.id,
    name: connector.name,
    description: connector.description,
    kind: connector.kind,
    enabled: connector.enabled,
    transport: connector.transport,
    baseUrl: connector.baseUrl ?? null,
    endpointPath: connector.endpointPath ?? null,
    headers: connector.headers.map(toValueView),
    cmd: connector.cmd ?? null,
    args: connector.args,
    env: connector.env.map(toValueView),
    workingDir: connector.workingDir ?? null,
    options: connector.options,
    notes: connector.notes,
    createdAt: stored.createdAt.toISOString(),
    updatedAt: stored.updatedAt.toISOString(),
    problem: stored.problem,
    counts: {
      tools: descriptors?.tools.length ?? 0,
      resources: descriptors?.resources.length ?? 0,
      resourceTemplates: descriptors?.resourceTemplates.length ?? 0,
      prompts: descriptors?.prompts.length ?? 0,
    },
    health: downstream?.health() ?? disabledHealth,
  }
}

function toValueView(entry: NamedValue): NamedValueView {
  const secret = entry.secret ?? isSecretName(entry.name)
  return {
    name: entry.name,
    secret,
    stored: secret && entry.value !== undefined,
    ...(!secret && { value: entry.value ?? '' }),
  }
}

const disabledHealth: DownstreamHealth = {
  state: 'disabled',
  era: null,
  revision: null,
  serverInfo: null,
  processId: null,
  inFlight: 0,
  callCount: 0,
  errorCount: 0,
  restartCount: 0,
  latencyMs: null,
  lastError: null,
  lastHandshakeAt: null,
  retryAt: null,
}
