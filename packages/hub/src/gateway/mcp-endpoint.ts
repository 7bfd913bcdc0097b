import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorCodes, HubError } from '@herma/contract'
import { ClearedMap } from '../platform/cleared-map.ts'
import {
  eraOf,
  isLegacyRevision,
  isObject,
  isRequest,
  legacyRevisions,
  metaKeys,
  metaOf,
  parseJson,
  toMessage,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from '../wire/index.ts'
import type { Connection } from './connection.ts'
import type { ConnectionTable } from './connection-table.ts'
import { Exchange } from './exchange.ts'
import type { Facade } from './facade.ts'
import { toModernCaller, validateModern } from './modern-request.ts'
import { readBody } from './read-body.ts'
import { requireAccept, requireJson } from './request-headers.ts'

const retryAfterSeconds = 10

/** Streamable HTTP of every revision on one URL. */
export class McpEndpoint {
  readonly #facade: Facade
  readonly #connections: ConnectionTable
  readonly #exchanges = new ClearedMap<number, Exchange>()
  #lastExchange = 0
  readonly #maxBodyBytes: number
  readonly #onEnd = (exchange: Exchange) => void this.#exchanges.delete(exchange.number)

  constructor(parts: { facade: Facade; connections: ConnectionTable; maxBodyBytes: number }) {
    this.#facade = parts.facade
    this.#connections = parts.connections
    this.#maxBodyBytes = parts.maxBodyBytes
  }

  /** The requests that are not answered yet. */
  get exchanges(): IterableIterator<Exchange> {
    return this.#exchanges.values()
  }

  get exchangeCount(): number {
    return this.#exchanges.size
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    switch (request.method) {
      case 'POST':
        return this.#post(request, response)
      case 'GET':
        return this.#guard(response, () => this.#get(request, response))
      case 'DELETE':
        return this.#guard(response, () => this.#delete(request, response))
      case 'HEAD':
        return void response.writeHead(200, ['Content-Type', 'application/json', 'Allow', allowed]).end()
      case 'OPTIONS':
        return void response.writeHead(204, ['Allow', allowed]).end()
      default:
        return refuse(response, 405, new HubError('INVALID_REQUEST', `Use ${allowed}.`), ['Allow', allowed])
    }
  }

  #post(request: IncomingMessage, response: ServerResponse): void {
    try {
      requireJson(request.headers)
      requireAccept(request.headers)
    } catch (error) {
      request.resume()
      return refuseWith(response, error)
    }
    readBody(request, this.#maxBodyBytes, (error, body) => {
      if (error !== null) return refuseWith(response, error)
      this.#guard(response, () => this.#receive(parseJson(body), request, response))
    })
  }

  #receive(value: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (Array.isArray(value))
      throw new HubError('INVALID_REQUEST', 'Send one message at a time: batches are not accepted.')
    const message = toMessage(value)
    const claimed = 'method' in message ? metaOf(message.params)?.[metaKeys.revision] : undefined
    const header = request.headers['mcp-protocol-version']
    const revision =
      typeof claimed === 'string'
        ? claimed
        : typeof header === 'string' && !('method' in message && message.method === 'initialize')
          ? header
          : ''
    if (claimed !== undefined ? !isLegacyRevision(claimed) : eraOf(revision) === 'modern')
      return this.#receiveModern(message, request, response)
    this.#receiveLegacy(message, request, response)
  }

  #receiveModern(message: Message, request: IncomingMessage, response: ServerResponse): void {
    if (!('method' in message))
      throw new HubError('INVALID_REQUEST', 'A client sends requests and notifications, not responses.')
    if (!isRequest(message)) return void response.writeHead(202, ['Content-Length', '0']).end()
    try {
      validateModern(message, request.headers)
    } catch (error) {
      return refuseWith(response, error, message.id)
    }
    this.#run(message, toModernCaller(message), null, request, response)
  }

  #receiveLegacy(message: Message, request: IncomingMessage, response: ServerResponse): void {
    if ('method' in message && message.method === 'initialize' && isRequest(message))
      return this.#initialize(message, response)
    const id = 'id' in message ? message.id : null
    let connection: Connection
    try {
      connection = this.#connection(request)
    } catch (error) {
      return refuseWith(response, error, id)
    }
    if (isRequest(message)) return this.#run(message, connection.caller, connection, request, response)
    if ('method' in message) this.#notice(connection, message)
    else connection.answer(message)
    response.writeHead(202, ['Content-Length', '0']).end()
  }

  #initialize(message: RequestMessage, response: ServerResponse): void {
    const { protocolVersion, capabilities, clientInfo } = message.params ?? {}
    if (typeof protocolVersion !== 'string') {
      return refuseWith(response, new HubError('INVALID_PARAMS', 'initialize needs "protocolVersion".'), message.id)
    }
    const revision = isLegacyRevision(protocolVersion) ? protocolVersion : legacyRevisions[0]
    try {
      const connection = this.#connections.open({
        revision,
        clientInfo,
        capabilities: isObject(capabilities) ? capabilities : {},
      })
      const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: this.#facade.initializeResult(revision) })
      const headers = [
        'Content-Type',
        'application/json',
        'Mcp-Session-Id',
        connection.id,
        'Content-Length',
        String(Buffer.byteLength(body)),
      ]
      response.writeHead(200, headers).end(body)
    } catch (error) {
      refuseWith(response, error, message.id, ['Retry-After', String(retryAfterSeconds)])
    }
  }

  #run(
    message: RequestMessage,
    caller: Exchange['caller'],
    connection: Connection | null,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const exchange = new Exchange({
      number: ++this.#lastExchange,
      message,
      caller,
      connection,
      headers: request.headers,
      response,
      onEnd: this.#onEnd,
    })
    this.#exchanges.set(exchange.number, exchange)
    this.#facade.handle(exchange)
  }

  #notice(connection: Connection, message: NotificationMessage): void {
    if (message.method === 'notifications/initialized') return
    if (message.method === 'notifications/cancelled') {
      const { requestId, reason } = message.params ?? {}
      connection.exchanges
        .get(requestId as RequestId)
        ?.cancel(typeof reason === 'string' ? reason : 'the client cancelled')
      return
    }
    this.#facade.passNotification(connection, message)
  }

  /** The stream for what belongs to no request, or the rest of a stream that broke. */
  #get(request: IncomingMessage, response: ServerResponse): void {
    const accept = request.headers.accept ?? ''
    if (!accept.includes('text/event-stream')) return describe(response)
    if (request.headers['mcp-session-id'] === undefined) {
      return refuse(
        response,
        405,
        new HubError('CONNECTION_REQUIRED', 'There is no stream without a connection. Start with a POST.'),
        ['Allow', allowed],
      )
    }
    const connection = this.#connection(request)
    const last = request.headers['last-event-id']
    if (typeof last !== 'string' || last === '') {
      connection.listening.attach(response, { primes: connection.primes })
      return connection.flushWaiting()
    }
    const match = /^(\d{1,9})-(\d{1,9})$/.exec(last)
    const stream = match === null ? undefined : connection.stream(Number(match[1]))
    const after = Number(match?.[2])
    if (stream === undefined || !stream.canReplay(after)) {
      throw new HubError('INVALID_REQUEST', `The events after ${JSON.stringify(last)} are not known any more.`)
    }
    stream.resume(response, after)
    if (stream.number === 0) connection.flushWaiting()
  }

  #delete(request: IncomingMessage, response: ServerResponse): void {
    this.#connections.close(this.#connection(request))
    response.writeHead(200, ['Content-Length', '0']).end()
  }

  #connection(request: IncomingMessage): Connection {
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string' || id === '') {
      throw new HubError(
        'CONNECTION_REQUIRED',
        'Bad Request: send initialize first, then its Mcp-Session-Id with every request.',
      )
    }
    const connection = this.#connections.get(id)
    if (connection === undefined)
      throw new HubError('CONNECTION_NOT_FOUND', 'Session not found: send initialize again.')
    const revision = request.headers['mcp-protocol-version']
    if (revision !== undefined && !isLegacyRevision(revision)) {
      const data = { supported: [...legacyRevisions], requested: revision }
      throw new HubError(
        'INVALID_REQUEST',
        `Bad Request: the protocol version ${JSON.stringify(revision)} is not supported.`,
        { data },
      )
    }
    return connection
  }

  #guard(response: ServerResponse, run: () => void): void {
    try {
      run()
    } catch (error) {
      refuseWith(response, error)
    }
  }
}

const allowed = 'GET, HEAD, POST, DELETE, OPTIONS'

/** What a person or a probe finds who opens the endpoint without speaking MCP. */
function describe(response: ServerResponse): void {
  const body = JSON.stringify({
    name: 'herma',
    protocol: 'mcp',
    transport: 'streamable-http',
    ui: '/',
    usage: 'POST JSON-RPC messages here.',
  })
  response
    .writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))])
    .end(body)
}

function refuseWith(
  response: ServerResponse,
  error: unknown,
  id: unknown = null,
  headers: readonly string[] = [],
): void {
  const known =
    error instanceof HubError
      ? error
      : new HubError('INTERNAL', 'The hub failed to handle the request.', { cause: error })
  const own = known.code === 'TOO_MANY_CONNECTIONS' ? headers : []
  refuse(response, errorCodes[known.code].http, known, own, id)
}

function refuse(
  response: ServerResponse,
  status: number,
  error: HubError,
  headers: readonly string[] = [],
  id: unknown = null,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const data = error.data === undefined ? {} : { data: error.data }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: errorCodes[error.code].rpc, message: error.message, ...data },
  })
  const all = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...headers]
  response.writeHead(status, all).end(body)
}
