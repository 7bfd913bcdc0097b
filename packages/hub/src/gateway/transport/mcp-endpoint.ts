import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import {
  eraOf,
  idTextOf,
  isLegacyRevision,
  isRequest,
  legacyRevisions,
  metaKeys,
  metaOf,
  parseJson,
  streamHeaders,
  toMessage,
  type Message,
  type RequestMessage,
} from '../../wire/index.ts'
import { noBatch, requireBatch, runBatch } from './batch.ts'
import type { Connection } from '../connection/connection.ts'
import type { ConnectionTable } from '../connection/connection-table.ts'
import { readEventId, type EventPlace } from './sink/event-stream.ts'
import { HttpSink } from './sink/http-sink.ts'
import type { ClientResponse, ResponseStream } from '@herma/framework/wire'
import type { HttpRequest } from '../../platform/fast-http/index.ts'
import { clientAddress } from '../../platform/http/index.ts'
import type { RequestReceiver } from '../call/request-receiver.ts'
import { toModernCaller, validateModern } from '../call/modern-request.ts'
import { readRequestBody } from './read-body.ts'
import { refuse, toRpcError } from './refuse.ts'
import { requireAccept, requireJson } from './request-headers.ts'

/** A request to a served server. */
export interface ServerRequest extends ClientResponse {
  readonly server: string
  readonly principal: Principal
  /** Whether the request truly comes from this machine. */
  readonly isLocal: boolean
  readonly request: HttpRequest
}

/** One that node:http has read, which may be for any of the endpoints. */
export interface NodeRequest extends ServerRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** One with a body. */
interface Posting extends ServerRequest {
  readonly bytes: number
}

/** Streamable HTTP of every revision on one URL. */
export class McpEndpoint {
  readonly #receiver: RequestReceiver
  readonly #connections: ConnectionTable
  readonly #maxBodyBytes: number

  constructor(parts: { receiver: RequestReceiver; connections: ConnectionTable; maxBodyBytes: number }) {
    this.#receiver = parts.receiver
    this.#connections = parts.connections
    this.#maxBodyBytes = parts.maxBodyBytes
  }

  handle(visit: ServerRequest): void {
    const { request, response } = visit
    const token = request.headers['mcp-session-id']
    if (typeof token !== 'string' || this.#connections.find(token) !== undefined) return this.#handle(visit)
    const { server, principal } = visit
    const restored = this.#connections.restore(token, { server, principal, address: clientAddress(request) })
    if (restored === null) return this.#handle(visit)
    restored.then(
      () => this.#handle(visit),
      (error: unknown) => {
        request.resume()
        refuse(response, error)
      },
    )
  }

  #handle(visit: ServerRequest): void {
    const { request, response } = visit
    switch (request.method) {
      case 'POST':
        return this.#post(visit)
      case 'GET':
        return this.#guard(response, () => this.#get(visit))
      case 'DELETE':
        return this.#guard(response, () => this.#delete(visit))
      case 'HEAD':
        return void response.writeHead(200, ['Content-Type', 'application/json', 'Allow', allowedMethods]).end()
      default:
        return refuse(response, new HubError('INVALID_REQUEST', `Use ${allowedMethods}.`), notAllowed)
    }
  }

  #post(visit: ServerRequest): void {
    const { request, response } = visit
    try {
      requireJson(request.headers)
      requireAccept(request.headers)
    } catch (error) {
      request.resume()
      return refuse(response, error)
    }
    readRequestBody(request, { limit: this.#maxBodyBytes, buffers: visit.buffers }, (error, body) => {
      if (error !== null) return refuse(response, error)
      this.#guard(response, () => this.#receive(parseJson(body), { ...visit, bytes: body.length }))
    })
  }

  #receive(value: unknown, visit: Posting): void {
    if (Array.isArray(value)) return this.#receiveBatch(value, visit)
    const message = toMessage(value)
    const claimed = 'method' in message ? metaOf(message.params)?.[metaKeys.revision] : undefined
    const header = visit.request.headers['mcp-protocol-version']
    const revision =
      typeof claimed === 'string'
        ? claimed
        : typeof header === 'string' && !('method' in message && message.method === 'initialize')
          ? header
          : ''
    if (claimed !== undefined ? !isLegacyRevision(claimed) : eraOf(revision) === 'modern')
      return this.#receiveModern(message, visit)
    this.#receiveLegacy(message, visit)
  }

  #receiveModern(message: Message, visit: Posting): void {
    const { request, response, principal, isLocal, bytes } = visit
    if (!('method' in message))
      throw new HubError('INVALID_REQUEST', 'A client sends requests and notifications, not responses.')
    if (!isRequest(message)) return void response.writeHead(202, ['Content-Length', '0']).end()
    try {
      validateModern(message, request.headers)
    } catch (error) {
      return refuse(response, error, { to: message })
    }
    this.#receiver.run({
      message,
      caller: toModernCaller(message, visit),
      principal,
      connection: null,
      headers: request.headers,
      transport: 'stream',
      bytes,
      isLocal,
      sink: new HttpSink(message, null, visit),
    })
  }

  #receiveLegacy(message: Message, visit: Posting): void {
    const { request, response, principal, bytes } = visit
    if ('method' in message && message.method === 'initialize' && isRequest(message))
      return void this.#initialize(message, visit)
    let connection: Connection
    try {
      connection = this.#connection(visit)
    } catch (error) {
      return refuse(response, error, { to: message })
    }
    if (isRequest(message)) {
      const sink = new HttpSink(message, connection, visit)
      return this.#receiver.run({
        message,
        caller: connection.caller,
        principal,
        connection,
        headers: request.headers,
        transport: 'stream',
        bytes,
        isLocal: visit.isLocal,
        sink,
      })
    }
    this.#receiver.notice(connection, message)
    response.writeHead(202, ['Content-Length', '0']).end()
  }

  #receiveBatch(messages: readonly unknown[], visit: Posting): void {
    const { request, response, principal } = visit
    if (request.headers['mcp-session-id'] === undefined) throw noBatch()
    const connection = this.#connection(visit)
    requireBatch(messages, connection)
    const sink = new HttpSink(null, connection, visit)
    runBatch(
      this.#receiver,
      { messages, connection, principal, transport: 'stream', isLocal: visit.isLocal, headers: request.headers },
      {
        send: (message) => sink.send(message),
        beat: (now) => sink.beat(now),
        finish: (pieces) => {
          if (pieces !== null) sink.finish(pieces, 200)
          else if (response.headersSent) sink.close()
          else response.writeHead(202, ['Content-Length', '0']).end()
        },
      },
    )
  }

  async #initialize(message: RequestMessage, { server, principal, request, response }: ServerRequest): Promise<void> {
    try {
      const { connection, result } = await this.#receiver.initialize(message, {
        server,
        principal,
        address: clientAddress(request),
      })
      const body = `{"jsonrpc":"2.0","id":${idTextOf(message)},"result":${JSON.stringify(result)}}`
      const headers = [
        'Content-Type',
        'application/json',
        'Mcp-Session-Id',
        connection.token ?? connection.id,
        'Content-Length',
        String(Buffer.byteLength(body)),
      ]
      response.writeHead(200, headers).end(body)
    } catch (error) {
      refuse(response, error, { to: message })
    }
  }

  /** The stream for what belongs to no request, or the rest of a stream that broke. */
  #get(visit: ServerRequest): void {
    const { request, response } = visit
    const accept = request.headers.accept ?? ''
    if (!accept.includes('text/event-stream')) return describe(response)
    if (request.headers['mcp-session-id'] === undefined) {
      return refuse(
        response,
        new HubError('CONNECTION_REQUIRED', 'There is no stream without a connection. Start with a POST.'),
        notAllowed,
      )
    }
    const connection = this.#connection(visit)
    const last = request.headers['last-event-id']
    // The rest of a stream belongs to a call under way.
    if (typeof last !== 'string' || last === '' || last.startsWith('0-')) this.#receiver.requireOpen()
    if (typeof last !== 'string' || last === '') {
      connection.listening.attach(visit, { primes: connection.primes, connection })
      return connection.flushWaiting()
    }
    const place = readEventId(last)
    const stream = place === null ? undefined : connection.stream(place.stream)
    if (place === null || stream === undefined || !stream.hasReached(place.sequence))
      return this.#tellGone(connection, place, visit)
    stream.resume(visit, place.sequence, connection)
    if (stream.number === 0) connection.flushWaiting()
  }

  /**
   * Events that are not kept cannot be replayed, and then there is a stream without them, or none:
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
   */
  #tellGone(connection: Connection, place: EventPlace | null, visit: ServerRequest): void {
    const { response } = visit
    if (place?.stream === 0) {
      connection.listening.attach(visit, { primes: connection.primes, connection })
      return connection.flushWaiting()
    }
    const error = new HubError(
      'INVALID_REQUEST',
      'The answer to this request is not kept any more: the hub was started again, or the client was away too long. ' +
        'Send the request again.',
    )
    if (place === null || place.requestId === null) return refuse(response, error, notAllowed)
    // Nobody waits for ever: the request is answered. A client that still comes back finds no stream behind this event.
    const data = `{"jsonrpc":"2.0","id":${place.requestId},"error":${JSON.stringify(toRpcError(error))}}`
    response.writeHead(200, [...streamHeaders]).end(`event: message\nid: ${place.stream}-gone\ndata: ${data}\n\n`)
  }

  #delete(visit: ServerRequest): void {
    const { response } = visit
    // The client may rely on it, so that it is told only when a restart would not bring the connection back.
    this.#connections.delete(this.#connection(visit)).then(
      () => response.writeHead(200, ['Content-Length', '0']).end(),
      (error: unknown) => refuse(response, error),
    )
  }

  #connection({ server, principal, request }: ServerRequest): Connection {
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string' || id === '') {
      throw new HubError(
        'CONNECTION_REQUIRED',
        'Bad Request: send initialize first, then its Mcp-Session-Id with every request.',
      )
    }
    const connection = this.#connections.find(id)
    if (connection === undefined || connection.caller.server !== server || !connection.belongsTo(principal))
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

  #guard(response: ResponseStream, run: () => void): void {
    try {
      run()
    } catch (error) {
      refuse(response, error)
    }
  }
}

export const allowedMethods = 'GET, HEAD, POST, DELETE, OPTIONS'
const notAllowed = { status: 405, headers: ['Allow', allowedMethods] }

/** What a person or a probe finds who opens the endpoint without speaking MCP. */
function describe(response: ResponseStream): void {
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
