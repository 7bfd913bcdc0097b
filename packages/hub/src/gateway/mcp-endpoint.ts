import type { IncomingMessage, ServerResponse } from 'node:http'
import { HubError, type Principal } from '@herma/contract'
import {
  eraOf,
  isLegacyRevision,
  isRequest,
  legacyRevisions,
  metaKeys,
  metaOf,
  parseJson,
  toMessage,
  type Message,
  type RequestMessage,
} from '../wire/index.ts'
import { noBatch, requireBatch, runBatch } from './batch.ts'
import type { Connection } from './connection.ts'
import type { ConnectionTable } from './connection-table.ts'
import { HttpOutlet } from './http-outlet.ts'
import type { Intake } from './intake.ts'
import { toModernCaller, validateModern } from './modern-request.ts'
import { readBody } from './read-body.ts'
import { refuse } from './refuse.ts'
import { requireAccept, requireJson } from './request-headers.ts'

/** A request to a served server. */
export interface Visit {
  readonly server: string
  readonly principal: Principal
  /** Whether the request truly comes from this machine. */
  readonly isLocal: boolean
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** One with a body. */
interface Posting extends Visit {
  readonly bytes: number
}

/** Streamable HTTP of every revision on one URL. */
export class McpEndpoint {
  readonly #intake: Intake
  readonly #connections: ConnectionTable
  readonly #maxBodyBytes: number

  constructor(parts: { intake: Intake; connections: ConnectionTable; maxBodyBytes: number }) {
    this.#intake = parts.intake
    this.#connections = parts.connections
    this.#maxBodyBytes = parts.maxBodyBytes
  }

  handle(visit: Visit): void {
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

  #post(visit: Visit): void {
    const { request, response } = visit
    try {
      requireJson(request.headers)
      requireAccept(request.headers)
    } catch (error) {
      request.resume()
      return refuse(response, error)
    }
    readBody(request, this.#maxBodyBytes, (error, body) => {
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
      return refuse(response, error, { id: message.id })
    }
    this.#intake.run({
      message,
      caller: toModernCaller(message, visit),
      principal,
      connection: null,
      headers: request.headers,
      transport: 'stream',
      bytes,
      isLocal,
      outlet: new HttpOutlet(message.id, null, response),
    })
  }

  #receiveLegacy(message: Message, visit: Posting): void {
    const { request, response, principal, bytes } = visit
    if ('method' in message && message.method === 'initialize' && isRequest(message))
      return void this.#initialize(message, visit)
    const id = 'id' in message ? message.id : null
    let connection: Connection
    try {
      connection = this.#connection(visit)
    } catch (error) {
      return refuse(response, error, { id })
    }
    if (isRequest(message)) {
      const outlet = new HttpOutlet(message.id, connection, response)
      return this.#intake.run({
        message,
        caller: connection.caller,
        principal,
        connection,
        headers: request.headers,
        transport: 'stream',
        bytes,
        isLocal: visit.isLocal,
        outlet,
      })
    }
    this.#intake.notice(connection, message)
    response.writeHead(202, ['Content-Length', '0']).end()
  }

  #receiveBatch(messages: readonly unknown[], visit: Posting): void {
    const { request, response, principal } = visit
    if (request.headers['mcp-session-id'] === undefined) throw noBatch()
    const connection = this.#connection(visit)
    requireBatch(messages, connection)
    const outlet = new HttpOutlet(0, connection, response)
    runBatch(
      this.#intake,
      { messages, connection, principal, transport: 'stream', isLocal: visit.isLocal, headers: request.headers },
      {
        send: (message) => outlet.send(message),
        beat: (now) => outlet.beat(now),
        finish: (pieces) => {
          if (pieces !== null) outlet.finish(pieces, 200)
          else if (response.headersSent) outlet.close()
          else response.writeHead(202, ['Content-Length', '0']).end()
        },
      },
    )
  }

  async #initialize(message: RequestMessage, visit: Visit): Promise<void> {
    const { response } = visit
    try {
      const { connection, result } = await this.#intake.initialize(message, visit)
      const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
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
      refuse(response, error, { id: message.id })
    }
  }

  /** The stream for what belongs to no request, or the rest of a stream that broke. */
  #get(visit: Visit): void {
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

  #delete(visit: Visit): void {
    this.#connections.close(this.#connection(visit))
    visit.response.writeHead(200, ['Content-Length', '0']).end()
  }

  #connection({ server, principal, request }: Visit): Connection {
    const id = request.headers['mcp-session-id']
    if (typeof id !== 'string' || id === '') {
      throw new HubError(
        'CONNECTION_REQUIRED',
        'Bad Request: send initialize first, then its Mcp-Session-Id with every request.',
      )
    }
    const connection = this.#connections.get(id)
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

  #guard(response: ServerResponse, run: () => void): void {
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
