import { HubError } from '@herma/contract'
import type { Catalog, CatalogKind, OutputWatch, Scopes } from '../catalog/index.ts'
import type { Connectors } from '../downstream/index.ts'
import {
  facadeName,
  inputMethods,
  isLogLevel,
  isObject,
  localOperator,
  metaKeys,
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
import type { Parking } from './call/parking.ts'
import type { Permission } from './call/permission.ts'
import { subjectOf } from './call/subject-of.ts'
import {
  callToolSteps,
  getPromptSteps,
  retrySteps,
  runSteps,
  type CallContext,
  type CallStep,
} from './call/step/call-steps.ts'
import { VisibleDownstreams, type Asker } from './call/visible-downstreams.ts'
import { toHubError } from './transport/refuse.ts'
import { hasTasks, TaskRoutes } from './call/task-routes.ts'
import { tryInTurn } from './call/try-in-turn.ts'
import { writeManifest } from './server/write-manifest.ts'

type Handler = (exchange: Exchange) => void | Promise<void>

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
  readonly #scopes: Scopes
  readonly #connectors: Connectors
  readonly #fanout: Fanout
  readonly #permission: Permission
  readonly #onGreeted: (server: string) => void
  readonly #announce: FacadeOptions['announce']
  readonly #downstreams: VisibleDownstreams
  readonly #context: CallContext
  readonly #tasks = new TaskRoutes()
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #modernHandlers: ReadonlyMap<string, Handler>

  constructor(options: FacadeOptions) {
    this.#scopes = options.scopes
    this.#connectors = options.connectors
    this.#fanout = options.fanout
    this.#permission = options.permission
    this.#onGreeted = (server) => options.onGreeted(server)
    this.#announce = options.announce
    this.#downstreams = new VisibleDownstreams(options.connectors, options.scopes)
    const { catalog, scopes, outputs, parking, permission } = options
    this.#context = { catalog, scopes, outputs, parking, permission, downstreams: this.#downstreams }
    const both: [string, Handler][] = [
      ['tools/list', (exchange) => this.#list(exchange, 'tools')],
      ['prompts/list', (exchange) => this.#list(exchange, 'prompts')],
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
    const steps = isRetry(exchange) ? retrySteps : stepsOf.get(exchange.method)
    try {
      const done = steps === undefined ? this.#answer(exchange) : runSteps(exchange, this.#context, steps)
      if (done !== undefined) done.catch((error: unknown) => exchange.fail(toHubError(error)))
    } catch (error) {
      exchange.fail(toHubError(error))
    }
  }

  /** What is not about one tool or prompt. */
  #answer(exchange: Exchange): void | Promise<void> {
    this.#permission.admit(exchange)
    const handlers = exchange.caller.era === 'modern' ? this.#modernHandlers : this.#handlers
    const handler = handlers.get(exchange.method)
    return handler === undefined ? this.#pass(exchange) : handler(exchange)
  }

  /** Notifications of legacy clients that are not about a request of theirs go to the servers. */
  passNotification(connection: Connection, message: NotificationMessage): void {
    for (const downstream of this.#downstreams.of(connection.caller)) {
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
    await this.#downstreams.settled(asker)
    const all = () => introduceAll(this.#downstreams.of(asker), era, isForHub)
    return { ...(host === undefined ? all() : introduceHosted(this.#connectors.byId(host), era)), ...who }
  }

  /** The facade for those who do not speak MCP: what a client would be told and shown, in one document. */
  async manifest(origin: string): Promise<Buffer> {
    await this.#connectors.settled()
    const anybody = { server: facadeName, principal: localOperator, clientInfo: undefined }
    return writeManifest(origin, introduceAll(this.#downstreams.of(anybody), 'modern'), this.#scopes.for(anybody))
  }

  async #discover(exchange: Exchange): Promise<void> {
    const { serverInfo, _meta: who, ...introduction } = await this.#introduce(exchange.caller, 'modern')
    const _meta = { ...who, [metaKeys.serverInfo]: serverInfo }
    exchange.result({ supportedVersions: [...revisions], ...introduction, ...cacheFields, _meta })
  }

  async #list(exchange: Exchange, kind: CatalogKind): Promise<void> {
    const settled = this.#downstreams.settled(exchange.caller)
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

  #readResource(exchange: Exchange): void {
    const uri = requireText(exchange, 'uri')
    const owners = this.#permission.requireAny(exchange, this.#downstreams.ownersOf(exchange, uri))
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
      return this.#downstreams.byId(prompt.source.id).call(exchange)
    }
    if (isObject(ref) && type === 'ref/resource' && typeof ref['uri'] === 'string') {
      const template = this.#scopes.for(exchange.caller).templateOwner(ref['uri'])
      const owners =
        template === undefined
          ? this.#downstreams.ownersOf(exchange, ref['uri'])
          : this.#downstreams.among(exchange, [template])
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
    if (isOn && this.#permission.requireAny(exchange, this.#downstreams.ownersOf(exchange, uri)).length === 0) {
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
    const downstreams = isRemoved
      ? []
      : this.#downstreams.among(exchange, this.#scopes.for(exchange.caller).connectorIds())
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
    const ofServer = this.#downstreams.among(exchange, this.#scopes.for(exchange.caller).connectorIds())
    const having = ofServer.filter(({ known }) => hasTasks(known?.handshake.capabilities ?? {}, exchange.caller.era))
    // A server of both eras shows only its newer side before it is asked, so it may have tasks of the older kind.
    if (having.length === 0 || taskId === undefined) return this.#passUnknown(exchange)
    const known = having.map(({ id }) => id)
    const ids = this.#tasks.find(taskId, known)
    tryInTurn(exchange, this.#permission.requireAny(exchange, this.#downstreams.among(exchange, ids)), {
      isMiss: ({ code }) => code === -32601 || code === -32602,
      onNone: (misses) => exchange.failWith(misses.at(-1)!.error, misses.at(-1)!.from),
      onHit: ({ id }) => this.#tasks.remember(taskId, id),
    })
  }
}

/** Methods that are about one entry of the catalog. */
const stepsOf: ReadonlyMap<string, readonly CallStep[]> = new Map([
  ['tools/call', callToolSteps],
  ['prompts/get', getPromptSteps],
])

function isRetry({ caller, method, params }: Exchange): boolean {
  return params?.['requestState'] !== undefined && caller.era === 'modern' && inputMethods.has(method)
}

function requireText(exchange: Exchange, field: string): string {
  const value = exchange.params?.[field]
  if (typeof value !== 'string' || value === '')
    throw new HubError('INVALID_PARAMS', `${exchange.method} needs "${field}".`)
  return value
}
