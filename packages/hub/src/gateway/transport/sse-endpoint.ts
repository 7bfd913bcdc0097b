import { randomUUID } from 'node:crypto'
import { HubError, type Principal } from '@herma/contract'
import type { AddressLimiter } from '../../access/index.ts'
import { clientAddress } from '../../platform/http/index.ts'
import {
  idTextOf,
  isRequest,
  parseJson,
  RawJson,
  toMessage,
  type Message,
  type Pieces,
  type RequestId,
  type RequestMessage,
} from '../../wire/index.ts'
import { requireBatch, runBatch } from './batch.ts'
import type { Connection } from '../connection/connection.ts'
import type { ConnectionTable } from '../connection/connection-table.ts'
import { EventStream } from './sink/event-stream.ts'
import type { IncomingRequest } from '../call/exchange.ts'
import type { RequestReceiver } from '../call/request-receiver.ts'
import type { ServerRequest } from './mcp-endpoint.ts'
import { identify, type ResponseSink } from './sink/response-sink.ts'
import { readRequestBody } from './read-body.ts'
import { refuse, toHubError, toRpcError } from './refuse.ts'
import { requireJson } from './request-headers.ts'

/** One client: everything for it goes to its event stream. */
interface SseClient {
  readonly server: string
  readonly principal: Principal
  readonly address: string
  readonly stream: EventStream
  connection: Connection | null
}

interface SseOptions {
  readonly receiver: RequestReceiver
  readonly connections: ConnectionTable
  readonly addresses: Pick<AddressLimiter, 'hold'>
  readonly maxBodyBytes: number
  readonly maxClients: number
}

/** How long a client may listen before it says who it is. */
const introductionMs = 30_000

/**
 * HTTP+SSE of 2024-11-05: a GET opens the stream, its first event names the address for messages, and all answers come
 * on the stream. https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseEndpoint {
  readonly #receiver: RequestReceiver
  readonly #connections: ConnectionTable
  readonly #maxBodyBytes: number
  readonly #maxClients: number
  readonly #addresses: SseOptions['addresses']
  readonly #clients = new Map<string, SseClient>()

  constructor(parts: SseOptions) {
    this.#receiver = parts.receiver
    this.#connections = parts.connections
    this.#maxBodyBytes = parts.maxBodyBytes
    this.#maxClients = parts.maxClients
    this.#addresses = parts.addresses
  }

  /** Ends the streams of servers that are not offered any more. */
  endWithdrawn(isOffered: (server: string) => boolean): void {
    for (const { server, stream } of this.#clients.values()) if (!isOffered(server)) stream.end()
  }

  /** Opens the stream of a client; `messagePath` is where it shall post. */
  listen(visit: ServerRequest, messagePath: string): void {
    const { server, principal, request, response } = visit
    if (request.method !== 'GET')
      return refuse(response, new HubError('INVALID_REQUEST', 'Open the event stream with GET.'), { status: 405 })
    if (this.#clients.size >= this.#maxClients) {
      const text = `The hub has ${this.#maxClients} clients over HTTP+SSE, its limit. Try again later.`
      return refuse(response, new HubError('TOO_MANY_CONNECTIONS', text))
    }
    const address = clientAddress(request)
    // From here on it counts, since a client that never says who it is holds a stream too.
    const place = this.#addresses.hold('connections', address)
    if ('refused' in place) return refuse(response, place.refused)
    const id = randomUUID()
    const client: SseClient = { server, principal, address, stream: new EventStream(null), connection: null }
    this.#clients.set(id, client)
    client.stream.attach(visit)
    client.stream.sendEvent('endpoint', `${messagePath}?sessionId=${id}`)
    const timer = setTimeout(() => {
      if (client.connection === null) client.stream.end()
    }, introductionMs).unref()
    response.once('close', () => {
      clearTimeout(timer)
      place.release()
      this.#clients.delete(id)
      if (client.connection !== null) this.#connections.close(client.connection)
    })
  }

  /** Takes a message; its answer goes to the stream. */
  post({ principal, isLocal, server, request, response, buffers }: ServerRequest): void {
    const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId')
    const client = id === null ? undefined : this.#clients.get(id)
    try {
      if (request.method !== 'POST') throw new HubError('INVALID_REQUEST', 'Post messages here.')
      if (client === undefined || client.server !== server || client.principal.id !== principal.id)
        throw new HubError('CONNECTION_NOT_FOUND', 'Session not found: open the event stream again.')
      requireJson(request.headers)
    } catch (error) {
      request.resume()
      return refuse(response, error)
    }
    readRequestBody(request, { limit: this.#maxBodyBytes, buffers }, (error, body) => {
      if (error !== null) return refuse(response, error)
      try {
        this.#receive(client, parseJson(body), { principal, isLocal, headers: request.headers, bytes: body.length })
        response.writeHead(202, ['Content-Type', 'text/plain']).end('Accepted')
      } catch (cause) {
        refuse(response, cause)
      }
    })
  }

  #receive(
    client: SseClient,
    value: unknown,
    { principal, isLocal, headers, bytes }: Pick<IncomingRequest, 'principal' | 'isLocal' | 'headers' | 'bytes'>,
  ): void {
    const { connection, stream } = client
    if (Array.isArray(value)) {
      if (connection === null) throw notInitialized()
      requireBatch(value, connection)
      return runBatch(
        this.#receiver,
        { messages: value, connection, principal, transport: 'sse', isLocal, headers },
        {
          send: (message) => stream.sendMessage(message),
          beat: () => {},
          finish: (pieces) => {
            if (pieces !== null) stream.send(pieces)
          },
        },
      )
    }
    const message = toMessage(value)
    if (isInitialize(message)) return void this.#initialize(client, message)
    if (connection === null) throw notInitialized()
    if (!isRequest(message)) return this.#receiver.notice(connection, message)
    const sink = new StreamSink(message, stream)
    this.#receiver.run({
      message,
      caller: connection.caller,
      principal,
      connection,
      headers,
      transport: 'sse',
      bytes,
      isLocal,
      sink,
    })
  }

  async #initialize(client: SseClient, message: Parameters<RequestReceiver['initialize']>[0]): Promise<void> {
    const id = new RawJson(idTextOf(message))
    try {
      if (client.connection !== null) throw new HubError('INVALID_REQUEST', 'This stream is initialized already.')
      const { connection, result } = await this.#receiver.initialize(message, client, { isLasting: false })
      if (!client.stream.isAttached || client.connection !== null) return this.#connections.close(connection)
      client.connection = connection
      connection.listenOn(client.stream)
      client.stream.sendMessage({ jsonrpc: '2.0', id, result })
    } catch (error) {
      client.stream.sendMessage({ jsonrpc: '2.0', id, error: toRpcError(toHubError(error)) })
    }
  }
}

function isInitialize(message: Message): message is Parameters<RequestReceiver['initialize']>[0] {
  return isRequest(message) && message.method === 'initialize'
}

function notInitialized(): HubError {
  return new HubError('CONNECTION_REQUIRED', 'Send initialize first.')
}

/** A request of a client whose answers all go to one stream. */
class StreamSink implements ResponseSink {
  readonly id: RequestId
  readonly clientId: string
  onGone: (() => void) | null = null
  readonly #stream: EventStream

  constructor(message: RequestMessage, stream: EventStream) {
    const { id, clientId } = identify(message)
    this.id = id
    this.clientId = clientId
    this.#stream = stream
  }

  finish(pieces: Pieces): void {
    this.#stream.send(pieces)
  }

  releaseWhenLeft(permit: { release(): void }): void {
    this.#stream.whenRead(() => permit.release())
  }

  send(message: object): boolean {
    return this.#stream.sendMessage(message)
  }

  begin(): boolean {
    return false
  }

  continue(): boolean {
    return true
  }

  end(): void {
    // Answers come whole, so there is nothing to end.
  }

  close(): void {
    // The stream goes on with the answers to other requests.
  }

  beat(): void {
    // The connection keeps the stream alive.
  }
}
