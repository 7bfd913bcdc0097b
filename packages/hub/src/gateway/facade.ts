import { HubError } from '@herma/contract'
import {
  type Catalog,
  type CatalogKind,
  type OutputWatch,
  type OwnTool,
  type Scope,
  type Scopes,
  type ShapedEntry,
  type ShapedTool,
} from '../catalog/index.ts'
import type { Connectors, Downstream } from '../downstream/index.ts'
import {
  checkParamHeaders,
  facadeName,
  inputMethods,
  isLogLevel,
  isObject,
  localOperator,
  metaKeys,
  modernRevision,
  revisions,
  type Era,
  type NotificationMessage,
} from '../wire/index.ts'
import type { Connection, NewCaller } from './connection/connection.ts'
import type { Exchange } from './call/exchange.ts'
import type { Fanout } from './subscription/fanout.ts'
import { isNotFound } from './call/is-not-found.ts'
import { cacheFields, pagePieces } from './server/page-pieces.ts'
import { introduceAll, introduceHosted, introduceOwn, isHub, type Introduction } from './server/introduction.ts'
import { OwnToolRun } from './tool/own-tool-run.ts'
import type { Parking } from './call/parking.ts'
import type { Permission } from './call/permission.ts'
import { subjectOf } from './call/subject-of.ts'
import { toHubError } from './transport/refuse.ts'
import { hasTasks, TaskRoutes } from './call/task-routes.ts'
import { tryInTurn } from './call/try-in-turn.ts'
import { writeManifest } from './server/write-manifest.ts'

type Handler = (exchange: Exchange) => void | Promise<void>
type Asker = Parameters<Scopes['for']>[0]

interface FacadeOptions {
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly outputs: OutputWatch
  readonly connectors: Connectors
  readonly fanout: Fanout
  readonly parking: Parking
  readonly permission: Permission
  /** A client introduced itself to a server. */
  onGreeted(server: string): void
  /** What another hub is told of this one, so that circles are found. */
  announce(server: string): Record<string, unknown>
}

/** The whole curated catalog as one MCP server: every method of both eras, each answered here or sent on. */
export class Facade {
  readonly #catalog: Catalog
  readonly #scopes: Scopes
  readonly #outputs: OutputWatch
  readonly #connectors: Connectors
  readonly #fanout: Fanout
  readonly #parking: Parking
  readonly #permission: Permission
  readonly #onGreeted: (server: string) => void
  readonly #announce: FacadeOptions['announce']
  readonly #tasks = new TaskRoutes()
  /** Requests that waited for lists already. */
  readonly #hasWaited = new WeakSet<Exchange>()
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #modernHandlers: ReadonlyMap<string, Handler>

  constructor(parts: FacadeOptions) {
    this.#catalog = parts.catalog
    this.#scopes = parts.scopes
    this.#outputs = parts.outputs
    this.#connectors = parts.connectors
    this.#fanout = parts.fanout
    this.#parking = parts.parking
    this.#permission = parts.permission
    this.#onGreeted = (server) => parts.onGreeted(server)
    this.#announce = parts.announce
    const both: [string, Handler][] = [
      ['tools/call', (exchange) => this.#callTool(exchange)],
      ['tools/list', (exchange) => this.#list(exchange, 'tools')],
      ['prompts/list', (exchange) => this.#list(exchange, 'prompts')],
      ['prompts/get', (exchange) => this.#getPrompt(exchange)],
      ['resources/list', (exchange) => this.#list(exchange, 'resources')],
      ['resources/templates/list', (exchange) => this.#list(exchange, 'resourceTemplates')],
      ['resources/read', (exchange) => this.#readResource(exchange)],
      ['completion/complete', (exchange) => this.#complete(exchange)],
    ]
    this.#handlers = new Map([
      ...both,
      ['ping', (exchange) => exchange.result({})],
      ['logging/setLevel', (exchange) => this.#setLevel(exchange)],
      ['resources/subscribe', (exchange) => this.#subscribe(exchange, true)],
      ['resources/unsubscribe', (exchange) => this.#subscribe(exchange, false)],
    ])
    this.#modernHandlers = new Map([
      ...both,
      ['server/discover', (exchange) => this.#discover(exchange)],
      ['subscriptions/listen', (exchange) => this.#fanout.listen(exchange)],
    ])
  }

  handle(exchange: Exchange): void {
    const handlers = exchange.caller.era === 'modern' ? this.#modernHandlers : this.#handlers
    const handler = handlers.get(exchange.method)
    try {
      if (isRetry(exchange)) return this.#retry(exchange)
      this.#permission.admit(exchange)
      const done = handler === undefined ? this.#pass(exchange) : handler(exchange)
      if (done !== undefined) done.catch((error: unknown) => exchange.fail(toHubError(error)))
    } catch (error) {
      exchange.fail(toHubError(error))
    }
  }

  /** Notifications of legacy clients that are not about a request of theirs go to the servers. */
  passNotification(connection: Connection, message: NotificationMessage): void {
    for (const downstream of this.#visible(connection.caller)) {
      // The roots of one client say nothing about the others that share a server.
      const isPrivate = message.method === 'notifications/roots/list_changed'
      if (isPrivate && downstream.connector.options.isolation !== 'connection') continue
      downstream.notify(connection.caller, message)
    }
  }

  /** What a legacy client is told. Like lists, it waits for servers that are looked at for the first time. */
  async initializeResult(caller: NewCaller): Promise<object> {
    return { protocolVersion: caller.revision, ...(await this.#introduce(caller, 'legacy')) }
  }

  async #introduce(asker: Asker, era: Era): Promise<Introduction> {
    this.#onGreeted(asker.server)
    const { own, host } = this.#scopes.for(asker).settings
    const isForHub = isHub(asker.clientInfo)
    const who = isForHub && { _meta: this.#announce(asker.server) }
    if (own !== undefined) return { ...introduceOwn(own, era), ...who }
    await this.#settled(asker)
    const all = () => introduceAll(this.#visible(asker), era, isForHub)
    return { ...(host === undefined ? all() : introduceHosted(this.#connectors.byId(host), era)), ...who }
  }

  /** The facade for those who do not speak MCP: what a client would be told and shown, in one document. */
  async manifest(origin: string): Promise<Buffer> {
    await this.#connectors.settled()
    const anybody = { server: facadeName, principal: localOperator, clientInfo: undefined }
    return writeManifest(origin, introduceAll(this.#visible(anybody), 'modern'), this.#scopes.for(anybody))
  }

  async #discover(exchange: Exchange): Promise<void> {
    const { serverInfo, _meta: who, ...introduction } = await this.#introduce(exchange.caller, 'modern')
    const _meta = { ...who, [metaKeys.serverInfo]: serverInfo }
    exchange.result({ supportedVersions: [...revisions], ...introduction, ...cacheFields, _meta })
  }

  async #list(exchange: Exchange, kind: CatalogKind): Promise<void> {
    const settled = this.#settled(exchange.caller)
    if (settled !== null) await settled
    const cursor = exchange.params?.['cursor']
    const page =
      cursor === undefined || typeof cursor === 'string'
        ? this.#scopes.for(exchange.caller).page(kind, cursor, exchange.caller.era)
        : undefined
    if (page === undefined)
      throw new HubError('INVALID_PARAMS', 'The cursor is not known any more. List again from the start.')
    exchange.resultPieces(pagePieces(kind, page, exchange.caller.era))
  }

  /** The hot path: look the name up, check, forward. */
  #callTool(exchange: Exchange): void | Promise<void> {
    const name = exchange.params?.['name']
    const scope = this.#scopes.for(exchange.caller)
    const tool = typeof name === 'string' ? scope.tool(name) : undefined
    if (tool === undefined) {
      const error = new HubError('TOOL_NOT_FOUND', `Unknown tool: ${JSON.stringify(name)}`)
      return this.#onceLookedAt(exchange, error, () => this.#callTool(exchange))
    }
    exchange.target = tool.name
    this.#permission.require(exchange, subjectOf(tool))
    if (tool.paramHeaders !== null) checkHeaders(exchange, tool)
    if (tool.own !== null) return this.#runOwn(tool.own, exchange, scope)
    if (tool.checksLeft > 0) exchange.onAnswer = this.#outputs.for(tool)
    this.#forward(exchange, tool)
  }

  #forward(exchange: Exchange, { source, original }: ShapedEntry): void {
    exchange.recorder.routed(exchange, { connector: source.name, original, because: 'the name leads there' })
    rename(exchange, original)
    this.#downstream(source.id).call(exchange)
  }

  #runOwn(own: OwnTool, exchange: Exchange, scope: Scope): Promise<void> {
    const run = new OwnToolRun(exchange, {
      member: ({ server, tool }) => this.#catalog.member(server, tool),
      settled: () => this.#connectors.settled(),
      exposed: (name) => scope.visible(name),
      downstream: (id) => this.#downstream(id),
      require: (subject) => this.#permission.require(exchange, subject),
      onStep: (step) => exchange.recorder.step(exchange, step),
      owners: (uri) => {
        const subject = { method: 'resources/read', target: uri }
        return this.#permission.requireAny(exchange, this.#owners(exchange, uri), subject)
      },
    })
    return run.run(own)
  }

  #getPrompt(exchange: Exchange): void | Promise<void> {
    const name = exchange.params?.['name']
    const prompt = typeof name === 'string' ? this.#scopes.for(exchange.caller).prompt(name) : undefined
    if (prompt === undefined) {
      const error = new HubError('PROMPT_NOT_FOUND', `Unknown prompt: ${JSON.stringify(name)}`)
      return this.#onceLookedAt(exchange, error, () => this.#getPrompt(exchange))
    }
    exchange.target = prompt.name
    this.#permission.require(exchange, subjectOf(prompt))
    this.#forward(exchange, prompt)
  }

  /** The client comes back with the input that its call waits for, here or at a modern server. */
  #retry(exchange: Exchange): void {
    const known = this.#routeOf(exchange)
    if (known !== undefined) exchange.target = known.name
    const route = this.#parking.resume(exchange)
    if (route === null) return
    this.#permission.admit(exchange)
    if (exchange.method !== 'resources/read') {
      if (known === undefined)
        throw new HubError(
          'TOOL_NOT_FOUND',
          `Unknown ${exchange.method === 'tools/call' ? 'tool' : 'prompt'}: ${JSON.stringify(exchange.target)}. It was there when the call began.`,
        )
      if (known.source.id !== route.connectorId)
        throw new HubError('INVALID_PARAMS', 'The server of this call changed. Send the request again from the start.')
      this.#permission.require(exchange, subjectOf(known))
      if ('paramHeaders' in known && known.paramHeaders !== null) checkHeaders(exchange, known)
      rename(exchange, known.original)
    }
    this.#downstream(route.connectorId).call(exchange)
  }

  #routeOf({ method, target, caller }: Exchange): ShapedTool | ShapedEntry | undefined {
    if (typeof target !== 'string' || method === 'resources/read') return undefined
    const scope = this.#scopes.for(caller)
    return method === 'tools/call' ? scope.tool(target) : scope.prompt(target)
  }

  /** A name that nobody has may be one of a server that is being looked at for the first time, or whose lists changed. */
  async #onceLookedAt(exchange: Exchange, error: HubError, again: () => void | Promise<void>): Promise<void> {
    const looked = this.#settled(exchange.caller) ?? this.#namesRead(exchange)
    if (looked === null) throw error
    await looked
    if (!exchange.isDone) await again()
  }

  /** Once for each request: a server that changes its lists all the time could keep it for ever. */
  #namesRead(exchange: Exchange): Promise<unknown> | null {
    const { own, host } = this.#scopes.for(exchange.caller).settings
    const { target } = exchange
    if (own !== undefined || typeof target !== 'string' || this.#hasWaited.has(exchange)) return null
    this.#hasWaited.add(exchange)
    return this.#connectors.namesRead(target, host)
  }

  /** Waits for the first look at what its server consists of. Two hubs that start would wait for each other. */
  #settled(asker: Asker): Promise<unknown> | null {
    const { own, host } = this.#scopes.for(asker).settings
    if (own !== undefined || isHub(asker.clientInfo)) return null
    return host === undefined ? this.#connectors.settled() : this.#connectors.settledOne(host)
  }

  #readResource(exchange: Exchange): void {
    const uri = requireText(exchange, 'uri')
    const owners = this.#permission.requireAny(exchange, this.#owners(exchange, uri))
    exchange.recorder.routed(exchange, { connectors: owners.map(({ name }) => name), because: 'they may have the URI' })
    tryInTurn(exchange, owners, {
      isMiss: isNotFound,
      onNone: (misses) => {
        // A server without resources says nothing about this one.
        const said = misses.find(({ error }) => error.code !== -32601)
        if (said !== undefined) exchange.failWith(said.error, said.from)
        else exchange.fail(new HubError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } }))
      },
    })
  }

  #complete(exchange: Exchange): void {
    const ref = exchange.params?.['ref']
    const type = isObject(ref) ? ref['type'] : undefined
    if (isObject(ref) && type === 'ref/prompt' && typeof ref['name'] === 'string') {
      const prompt = this.#scopes.for(exchange.caller).prompt(ref['name'])
      if (prompt === undefined) throw new HubError('PROMPT_NOT_FOUND', `Unknown prompt: ${JSON.stringify(ref['name'])}`)
      this.#permission.require(exchange, subjectOf(prompt))
      exchange.params = { ...exchange.params, ref: { ...ref, name: prompt.original } }
      return this.#downstream(prompt.source.id).call(exchange)
    }
    if (isObject(ref) && type === 'ref/resource' && typeof ref['uri'] === 'string') {
      const template = this.#scopes.for(exchange.caller).templateOwner(ref['uri'])
      const owners = template === undefined ? this.#owners(exchange, ref['uri']) : this.#seen(exchange, [template])
      const [owner] = this.#permission.requireAny(exchange, owners)
      if (owner !== undefined) return owner.call(exchange)
    }
    throw new HubError('INVALID_PARAMS', 'The reference to complete is neither a known prompt nor a known resource.')
  }

  async #setLevel(exchange: Exchange): Promise<void> {
    const level = exchange.params?.['level']
    if (!isLogLevel(level)) throw new HubError('INVALID_PARAMS', `${JSON.stringify(level)} is not a log level.`)
    await this.#fanout.setLevel(exchange.caller.connectionId!, level)
    exchange.result({})
  }

  async #subscribe(exchange: Exchange, isOn: boolean): Promise<void> {
    const uri = requireText(exchange, 'uri')
    if (isOn && this.#permission.requireAny(exchange, this.#owners(exchange, uri)).length === 0) {
      throw new HubError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } })
    }
    await this.#fanout.subscribe(exchange.caller.connectionId!, uri, isOn)
    exchange.result({})
  }

  #pass(exchange: Exchange): void {
    if (exchange.method.startsWith('tasks/')) this.#passTask(exchange)
    else this.#passUnknown(exchange)
  }

  /** A method that we do not know may be known to a server: those that never heard of it refuse without harm. */
  #passUnknown(exchange: Exchange): void {
    const isRemoved =
      exchange.caller.era === 'modern' ? this.#handlers.has(exchange.method) || exchange.method === 'initialize' : false
    const downstreams = isRemoved ? [] : this.#seen(exchange, this.#scopes.for(exchange.caller).connectorIds())
    tryInTurn(exchange, this.#permission.requireAny(exchange, downstreams), {
      isMiss: (error) => error.code === -32601,
      onNone: ([said, ...others]) => {
        // One server speaks for itself; for several the hub has to.
        if (said !== undefined && others.length === 0) exchange.failWith(said.error, said.from)
        else exchange.fail(new HubError('METHOD_NOT_FOUND', `Method not found: ${exchange.method}`))
      },
    })
  }

  /** A task is known by the id that its server gave it, and only to that server. */
  #passTask(exchange: Exchange): void {
    const taskId = exchange.params?.['taskId']
    const ofServer = this.#seen(exchange, this.#scopes.for(exchange.caller).connectorIds())
    const having = ofServer.filter(({ known }) => hasTasks(known?.handshake.capabilities ?? {}, exchange.caller.era))
    // A server of both eras shows only its newer side before it is asked, so it may have tasks of the older kind.
    if (having.length === 0 || taskId === undefined) return this.#passUnknown(exchange)
    const known = having.map(({ id }) => id)
    const ids = this.#tasks.find(taskId, known)
    tryInTurn(exchange, this.#permission.requireAny(exchange, this.#seen(exchange, ids)), {
      isMiss: ({ code }) => code === -32601 || code === -32602,
      onNone: (misses) => exchange.failWith(misses.at(-1)!.error, misses.at(-1)!.from),
      onHit: ({ id }) => this.#tasks.remember(taskId, id),
    })
  }

  /** The servers that may know a URI, of those that the client may reach. */
  #owners(exchange: Exchange, uri: string): Downstream[] {
    return this.#seen(exchange, this.#scopes.for(exchange.caller).resourceOwners(uri))
  }

  /** Of these connectors the live ones that the client may hear of. */
  #seen({ caller }: Exchange, ids: readonly string[]): Downstream[] {
    const scope = this.#scopes.for(caller)
    return ids.flatMap((id) => this.#connectors.byId(id) ?? []).filter(({ name }) => scope.seesServer(name))
  }

  /** All that a client may hear of. */
  #visible(asker: Asker): Downstream[] {
    const scope = this.#scopes.for(asker)
    return this.#connectors
      .entries()
      .flatMap(({ downstream }) => (downstream !== null && scope.seesServer(downstream.name) ? downstream : []))
  }

  #downstream(id: string): Downstream {
    const downstream = this.#connectors.byId(id)
    if (downstream === null)
      throw new HubError('CONNECTOR_DISABLED', 'The connector of this name was disabled. List again.')
    return downstream
  }
}

function checkHeaders(exchange: Exchange, tool: ShapedTool): void {
  exchange.paramHeaders = tool.paramHeaders
  // A plain JSON-RPC request has its parameters in one place only.
  if (exchange.transport === 'rpc' || exchange.caller.revision !== modernRevision) return
  const mismatch = checkParamHeaders(tool.paramHeaders!, exchange.headers, exchange.params?.['arguments'])
  if (mismatch !== undefined) throw new HubError('HEADER_MISMATCH', `Header mismatch: ${mismatch}.`)
}

function rename(exchange: Exchange, original: string): void {
  if (exchange.params!['name'] !== original) exchange.params = { ...exchange.params, name: original }
}

function isRetry({ caller, method, params }: Exchange): boolean {
  return params?.['requestState'] !== undefined && caller.era === 'modern' && inputMethods.has(method)
}

function requireText(exchange: Exchange, field: string): string {
  const value = exchange.params?.[field]
  if (typeof value !== 'string' || value === '')
    throw new HubError('INVALID_PARAMS', `${exchange.method} needs "${field}".`)
  return value
}
