import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import type { Principal } from '../../../auth/auth.ts'
import type { Host } from '../../../host/host.ts'
import type { LegacyProtocol } from '../../../host/legacy-protocol.ts'
import type { Origin } from '../../../host/peer.ts'
import type { Batch } from '../../../protocol/batch.ts'
import { errorCode } from '../../../protocol/errors.ts'
import { isRequest, readMessage } from '../../../protocol/message.ts'
import type { Access } from '../access/access.ts'
import type { HttpExchange } from '../exchange/exchange.ts'
import { readPost } from '../exchange/read-post.ts'
import { giveAuthAnswer, refuse } from '../exchange/refuse.ts'
import { EventStream } from '../stream/event-stream.ts'
import type { Ticker } from '../stream/ticker.ts'
import type { ConnectionTable, LegacyConnection } from './connection-table.ts'
import { refuseForRoom } from './legacy-endpoint.ts'
import { batchProblem, takeBatch } from './take-batch.ts'

export interface SseOptions {
  readonly host: Host
  readonly access: Access
  readonly table: ConnectionTable
  readonly ticker: Ticker
  readonly maxBodyBytes: number
  /** Where clients shall post. */
  readonly messagesPath: string
}

/**
 * HTTP+SSE of 2024-11-05: a GET opens the stream, its first event names the address for messages, and all answers come
 * on the stream. https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export class SseEndpoint {
  readonly #options: SseOptions

  constructor(options: SseOptions) {
    this.#options = options
  }

  listen(principal: Principal | undefined, exchange: HttpExchange): void {
    if (exchange.method !== 'GET') return refuseMethod(exchange, 'GET')
    const { host, table, ticker, messagesPath } = this.#options
    if (!table.makeRoom()) return refuseForRoom(exchange)
    const connection = new SseConnection(host, principal, ticker, () => table.closed(connection))
    table.add(connection)
    exchange.onGone(() => void connection.protocol.close('client').catch((error: unknown) => host.report(error)))
    connection.stream.attach(exchange)
    connection.stream.sendEvent('endpoint', `${messagesPath}?sessionId=${connection.id}`)
  }

  async receive(principal: Principal | undefined, exchange: HttpExchange): Promise<void> {
    if (exchange.method !== 'POST') return refuseMethod(exchange, 'POST')
    const { table, maxBodyBytes } = this.#options
    const connection = table.get(exchange.url.searchParams.get('sessionId') ?? '')
    if (!(connection instanceof SseConnection) || connection.principal?.id !== principal?.id) {
      const text = 'There is no such connection, or no more: open the event stream again.'
      return refuse(exchange, { status: 404, code: errorCode.invalidRequest, text })
    }
    const post = await readPost(exchange, maxBodyBytes)
    if (post !== undefined) this.#take(post.value, connection, { principal, http: exchange }, exchange)
  }

  #take(value: unknown, connection: SseConnection, origin: Origin, exchange: HttpExchange): void {
    const { access } = this.#options
    if (Array.isArray(value)) {
      const problem = batchProblem(value, connection)
      if (problem !== undefined) return refuse(exchange, { status: 400, code: errorCode.invalidRequest, text: problem })
      connection.receiveBatch(value, origin)
      return exchange.answer(202, plainText, 'Accepted')
    }
    const read = readMessage(value)
    if ('refusal' in read)
      return exchange.answer(400, ['Content-Type', 'application/json'], JSON.stringify(read.refusal))
    const { message } = read
    const challenge = isRequest(message) ? access.challengeFor(message, origin.principal, exchange) : undefined
    if (challenge !== undefined) return giveAuthAnswer(exchange, challenge)
    exchange.answer(202, plainText, 'Accepted')
    connection.receive(message, origin)
  }
}

const plainText = ['Content-Type', 'text/plain']

function refuseMethod(exchange: HttpExchange, method: string): void {
  const text = `Use ${method} here.`
  refuse(exchange, { status: 405, code: errorCode.invalidRequest, text, headers: ['Allow', method] })
}

/** One client of HTTP+SSE: everything for it goes to its stream, and it is gone with it. */
class SseConnection implements LegacyConnection {
  readonly kind = 'sse'
  readonly id = randomUUID()
  readonly principal: Principal | undefined
  readonly protocol: LegacyProtocol
  readonly stream: EventStream
  readonly #host: Host
  readonly #onClosed: () => void
  readonly #running = new Set<RequestId>()
  readonly #batches = new Set<Batch>()

  constructor(host: Host, principal: Principal | undefined, ticker: Ticker, onClosed: () => void) {
    this.#host = host
    this.principal = principal
    this.stream = new EventStream(ticker)
    this.#onClosed = onClosed
    this.protocol = host.openLegacy(this, this.id)
  }

  get isRunning(): boolean {
    return this.#running.size > 0
  }

  get isListening(): boolean {
    return this.stream.isAttached
  }

  receive(message: JSONRPCMessage, origin: Origin): void {
    if (isRequest(message)) this.#running.add(message.id)
    this.protocol.receive(message, origin)
  }

  receiveBatch(values: readonly unknown[], origin: Origin): void {
    const { batch, messages } = takeBatch(this.#host, values, this, (answers) => {
      this.#batches.delete(batch)
      // Clients of this transport take one message an event.
      for (const answer of answers) this.stream.send(answer)
    })
    this.#batches.add(batch)
    for (const message of messages) this.receive(message, origin)
    batch.handedOver()
  }

  send(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#running.delete(message.id!)
    for (const batch of this.#batches) if (batch.take(message)) return
    this.stream.send(message)
  }

  dropped(id: RequestId): void {
    this.#running.delete(id)
    for (const batch of this.#batches) batch.drop(id)
  }

  closed(): void {
    this.stream.end()
    this.#onClosed()
  }
}
