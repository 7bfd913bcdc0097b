import { randomUUID } from 'node:crypto'
import {
  classifyInboundRequest,
  type InboundClassificationOutcome,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/auth.ts'
import type { Host } from '../../host/host.ts'
import { errorCode } from '../../protocol/errors.ts'
import { looksLikeRequest, isRequest } from '../../protocol/message.ts'
import { modernVersion } from '../../protocol/version.ts'
import { metaKeys, metaOf, isObject } from '../../wire/meta.ts'
import { Access } from './access/access.ts'
import { Guard } from './access/guard.ts'
import type { HttpExchange } from './exchange/exchange.ts'
import { checkAccept, readPost } from './exchange/read-post.ts'
import { refuse } from './exchange/refuse.ts'
import type { HttpSettings } from './http-settings.ts'
import { ConnectionRecords } from './legacy/connection-records.ts'
import { ConnectionTable } from './legacy/connection-table.ts'
import { HttpConnection } from './legacy/http-connection.ts'
import { LegacyEndpoint } from './legacy/legacy-endpoint.ts'
import { SseEndpoint } from './legacy/sse-endpoint.ts'
import { ModernEndpoint } from './modern-endpoint.ts'
import { Ticker } from './stream/ticker.ts'

type Route = (principal: Principal | undefined, exchange: HttpExchange) => void | Promise<void>

/** Answers every HTTP request of a server, from node or from `fetch`. */
export class HttpEndpoint {
  /** Identifies this process among those that serve together. */
  readonly node = randomUUID()
  readonly #host: Host
  readonly #settings: HttpSettings
  readonly #guard: Guard
  readonly #access: Access
  readonly #ticker = new Ticker()
  readonly #table: ConnectionTable
  readonly #modern: ModernEndpoint
  readonly #legacy: LegacyEndpoint | undefined
  readonly #routes: ReadonlyMap<string, Route>
  #joining: Promise<void> | undefined
  #ended: (() => Promise<void>) | undefined
  #isJoined = false
  #isDraining = false

  constructor(host: Host, settings: HttpSettings) {
    const { auth, connections, sse, path, maxBodyBytes } = settings
    this.#host = host
    this.#settings = settings
    this.#guard = new Guard({ ...settings, hasAuth: auth !== undefined })
    const access = (this.#access = new Access(host, auth))
    const ticker = this.#ticker
    const report = (error: unknown) => host.report(error)
    const records = connections?.store && new ConnectionRecords(host, connections.store, connections.idleMs)
    const table = (this.#table = new ConnectionTable({
      idleMs: connections?.idleMs ?? 0,
      max: connections?.max ?? 0,
      onUse: (connection) => connection instanceof HttpConnection && records?.touch(connection),
      onEnd: (connection) => {
        const isStored = connection instanceof HttpConnection && connection.protocol.connection !== undefined
        if (isStored) records?.delete(connection).catch(report)
      },
      report,
    }))
    this.#modern = new ModernEndpoint(host, access, ticker)
    const { node } = this
    const save = async (connection: HttpConnection) => records?.save(connection)
    const onClosed = (connection: HttpConnection) => table.closed(connection)
    this.#legacy =
      connections && host.servesLegacy
        ? new LegacyEndpoint({ host, access, table, records, ticker, node, events: connections.events, save, onClosed })
        : undefined
    const routes: [string, Route][] = [[path, (principal, exchange) => this.#serve(principal, exchange)]]
    if (sse !== undefined && this.#legacy !== undefined) {
      const endpoint = new SseEndpoint({ host, access, table, ticker, maxBodyBytes, messagesPath: sse.messages })
      routes.push([sse.path, (principal, exchange) => endpoint.listen(principal, exchange)])
      routes.push([sse.messages, (principal, exchange) => endpoint.receive(principal, exchange)])
    }
    this.#routes = new Map(routes)
  }

  /** Answers one exchange, sooner or later. */
  async handle(exchange: HttpExchange): Promise<void> {
    try {
      await this.#enter(exchange)
    } catch (error) {
      this.#host.report(error)
      refuse(exchange, { status: 500, code: errorCode.internal, text: 'Something went wrong inside the server.' })
    }
  }

  /** Begins to serve, and subscribes to changes on the bus. */
  async join(): Promise<void> {
    const { bus } = this.#settings
    this.#ended ??= this.#host.began()
    this.#joining ??= bus === undefined ? Promise.resolve() : this.#host.changes.join(bus)
    try {
      await this.#joining
    } catch (error) {
      // Without the bus clients miss changes of other processes; that is no reason not to serve them.
      if (!this.#isJoined) this.#host.report(error)
    }
    this.#isJoined = true
  }

  /** Takes no new requests, and lets go of streams that would never end. */
  drain(): void {
    this.#isDraining = true
    this.#modern.finishListening()
    for (const connection of this.#table) if (connection instanceof HttpConnection) connection.stopListening()
  }

  async close(): Promise<void> {
    this.drain()
    await this.#table.closeAll('shutdown')
    if (this.#joining !== undefined && this.#settings.bus !== undefined) this.#host.changes.leave()
    await this.#ended?.()
  }

  async #enter(exchange: HttpExchange): Promise<void> {
    const forbid = (text: string) => refuse(exchange, { status: 403, code: errorCode.invalidRequest, text })
    const hostProblem = this.#guard.hostProblem(exchange)
    if (hostProblem !== undefined) return forbid(hostProblem)
    const route = this.#routes.get(exchange.path)
    if (route === undefined) return this.#findDocument(exchange)
    const originProblem = this.#guard.originProblem(exchange)
    if (originProblem !== undefined) return forbid(originProblem)
    if (exchange.method === 'OPTIONS') return exchange.answer(204, ['Allow', 'GET, POST, DELETE, OPTIONS'])
    if (!this.#isJoined) await this.join()
    const entered = await this.#access.enter(exchange)
    if (entered !== undefined) await route(entered.principal, exchange)
  }

  // The origin is not checked: these documents are the same for everybody and carry their own CORS headers.
  async #findDocument(exchange: HttpExchange): Promise<void> {
    if (await this.#access.giveDocument(exchange)) return
    const text = `Nothing is served at this path; the server is at '${this.#settings.path}' (the option path).`
    refuse(exchange, { status: 404, code: errorCode.invalidRequest, text })
  }

  async #serve(principal: Principal | undefined, exchange: HttpExchange): Promise<void> {
    if (exchange.method === 'POST') return this.#receive(principal, exchange)
    const isKnown = exchange.method === 'GET' || exchange.method === 'DELETE'
    if (this.#legacy === undefined || !isKnown) {
      const allowed = this.#legacy === undefined ? 'POST' : 'GET, POST, DELETE'
      const text = `Use ${allowed} here.`
      return refuse(exchange, { status: 405, code: errorCode.invalidRequest, text, headers: ['Allow', allowed] })
    }
    if (exchange.method === 'DELETE') return this.#legacy.end(principal, exchange)
    if (this.#isDraining) return refuseWhileDraining(exchange)
    if (checkAccept(exchange, ['text/event-stream'])) await this.#legacy.listen(principal, exchange)
  }

  async #receive(principal: Principal | undefined, exchange: HttpExchange): Promise<void> {
    if (!checkAccept(exchange, ['application/json', 'text/event-stream'])) return
    const post = await readPost(exchange, this.#settings.maxBodyBytes)
    if (post === undefined) return
    const body = post.value
    if (Array.isArray(body) && this.#legacy !== undefined) return this.#legacy.receiveBatch(body, principal, exchange)
    if (this.#isDraining && looksLikeRequest(body)) return refuseWhileDraining(exchange)
    const classified = classifyPost(body, exchange)
    if (classified.kind === 'legacy') return this.#receiveLegacy(body as JSONRPCMessage, principal, exchange)
    const id = isObject(body) ? (body['id'] as RequestId | undefined) : undefined
    if (classified.kind === 'reject') {
      const { code, message: text, data, httpStatus: status } = classified
      return refuse(exchange, { status, code, text, data, id })
    }
    const requested = classified.classification.revision
    if (requested !== modernVersion || !this.#host.servesModern) return this.#refuseVersion(exchange, requested, id)
    if (classified.messageKind === 'request') this.#modern.receive(classified.message, principal, exchange)
    else this.#modern.notice(classified.message, principal, exchange)
  }

  #receiveLegacy(body: JSONRPCMessage, principal: Principal | undefined, exchange: HttpExchange): void | Promise<void> {
    if (this.#legacy !== undefined) return this.#legacy.receive(body, principal, exchange)
    if (!isRequest(body)) {
      if ('method' in body) return exchange.answer(202, [])
      const text = `Only ${modernVersion} is served here: it has neither batches nor answers of clients.`
      return refuse(exchange, { status: 400, code: errorCode.invalidRequest, text })
    }
    const claimed = body.params?.['protocolVersion'] ?? exchange.header('mcp-protocol-version')
    this.#refuseVersion(exchange, claimed, body.id)
  }

  #refuseVersion(exchange: HttpExchange, requested: unknown, id: string | number | undefined): void {
    // What `server/discover` names: legacy revisions are negotiated by `initialize`.
    const supported = this.#host.servesModern ? [modernVersion] : this.#host.versions
    const text = `Unsupported protocol version: ${String(requested ?? 'none was named')}`
    const data = { supported, requested }
    refuse(exchange, { status: 400, code: errorCode.unsupportedVersion, text, data, id })
  }
}

function refuseWhileDraining(exchange: HttpExchange): void {
  const text = 'The server is going down. Try again, which may lead to another one.'
  refuse(exchange, {
    status: 503,
    code: errorCode.internal,
    text,
    headers: ['Retry-After', '1', 'Connection', 'close'],
  })
}

/** Finds the era of what was posted, or what is wrong with it. */
function classifyPost(body: unknown, exchange: HttpExchange): InboundClassificationOutcome {
  const protocolVersionHeader = exchange.header('mcp-protocol-version')
  const mcpMethodHeader = exchange.header('mcp-method')
  // Nearly all posts are like this. The SDK, which first takes each for an answer of a client, needs several times as
  // long for them; what is missing in the envelope it finds when the request reaches it.
  const isPlain =
    protocolVersionHeader === modernVersion &&
    looksLikeRequest(body) &&
    body.method === mcpMethodHeader &&
    body.method !== 'subscriptions/listen' &&
    metaOf(body.params)?.[metaKeys.revision] === modernVersion
  if (isPlain) return { kind: 'modern', messageKind: 'request', message: body, classification }
  const mcpNameHeader = exchange.header('mcp-name')
  return classifyInboundRequest({ httpMethod: 'POST', protocolVersionHeader, mcpMethodHeader, mcpNameHeader, body })
}

const classification = { era: 'modern', revision: modernVersion } as const
