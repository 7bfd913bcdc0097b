import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server'
import type { Principal } from '../../../auth/auth.ts'
import { errorCode } from '../../../protocol/errors.ts'
import { isRequest } from '../../../protocol/message.ts'
import type { Origin } from '../../../host/peer.ts'
import { legacyVersions } from '../../../protocol/version.ts'
import type { Host } from '../../../host/host.ts'
import type { Access } from '../access/access.ts'
import type { ConnectionTable } from './connection-table.ts'
import type { HttpExchange } from '../exchange/exchange.ts'
import { HttpConnection, type HttpConnectionOptions } from './http-connection.ts'
import { giveAuthAnswer, refuse } from '../exchange/refuse.ts'
import type { ConnectionRecords } from './connection-records.ts'
import { batchProblem, requestsIn, takeBatch } from './take-batch.ts'

export interface LegacyOptions extends HttpConnectionOptions {
  readonly access: Access
  readonly table: ConnectionTable
  readonly records: ConnectionRecords | undefined
}

/** Streamable HTTP of 2025-03-26 to 2025-11-25: connections with ids, which begin with `initialize`. */
export class LegacyEndpoint {
  readonly #options: LegacyOptions
  readonly #host: Host
  readonly #restoring = new Map<string, Promise<HttpConnection | undefined>>()

  constructor(options: LegacyOptions) {
    this.#options = options
    this.#host = options.host
  }

  async receive(message: JSONRPCMessage, principal: Principal | undefined, exchange: HttpExchange): Promise<void> {
    const origin = { principal, http: exchange }
    const request = isRequest(message) ? message : undefined
    if (request?.method === 'initialize') return this.#initialize(request, origin, exchange)
    const connection = await this.#find(principal, exchange, request?.id)
    if (connection === undefined) return
    if (request !== undefined) return this.#run(request, connection, exchange, origin)
    connection.protocol.receive(message, origin)
    exchange.answer(202, [])
  }

  async receiveBatch(
    values: readonly unknown[],
    principal: Principal | undefined,
    exchange: HttpExchange,
  ): Promise<void> {
    const connection = await this.#find(principal, exchange)
    if (connection !== undefined) this.#runBatch(values, connection, exchange, { principal, http: exchange })
  }

  /** Opens the stream for announcements, or goes on with one that broke. */
  async listen(principal: Principal | undefined, exchange: HttpExchange): Promise<void> {
    if (exchange.header('mcp-session-id') === undefined) {
      const text = 'There is no stream without a connection: send initialize first, then its Mcp-Session-Id.'
      return refuse(exchange, { status: 405, code: errorCode.invalidRequest, text, headers: ['Allow', 'POST'] })
    }
    const connection = await this.#find(principal, exchange)
    if (connection === undefined) return
    const last = exchange.header('last-event-id')
    if (last === undefined || last === '' || this.#options.events === undefined) return connection.listen(exchange)
    const outcome = await connection.resume(exchange, last)
    // To a client of event streams 204 means: do not reconnect.
    if (outcome === 'over') return exchange.answer(204, [])
    if (outcome === 'resumed') return
    const text = 'The events after this Last-Event-ID are not known any more. Listen without it.'
    refuse(exchange, { status: 400, code: errorCode.invalidRequest, text })
  }

  /** Ends the connection, as its client demands. */
  async end(principal: Principal | undefined, exchange: HttpExchange): Promise<void> {
    const connection = await this.#find(principal, exchange)
    if (connection === undefined) return
    await connection.protocol.close('client')
    // When the client hears that it is over, no other process may go on with it.
    await this.#options.records?.delete(connection)
    exchange.answer(200, [])
  }

  #run(request: JSONRPCRequest, connection: HttpConnection, exchange: HttpExchange, origin: Origin): void {
    const { access } = this.#options
    if (connection.isBusy) return refuseBusy(exchange, request.id)
    if (connection.isUnderWay(request.id)) return refuseTwice(exchange, request)
    const challenge = access.challengeFor(request, origin.principal, exchange)
    if (challenge !== undefined) return giveAuthAnswer(exchange, challenge)
    const reply = connection.makeReply(exchange)
    connection.expect(request, {
      send: (message) => reply.send(message),
      drop: () => reply.close(),
      answer: (message) => {
        const denied = reply.isStream ? undefined : access.challengeIn(message, exchange)
        if (denied === undefined) reply.finish(message)
        else reply.replace(() => giveAuthAnswer(exchange, denied))
      },
    })
    connection.protocol.receive(request, origin)
  }

  #runBatch(values: readonly unknown[], connection: HttpConnection, exchange: HttpExchange, origin: Origin): void {
    if (connection.isBusy) return refuseBusy(exchange)
    const problem = batchProblem(values, connection)
    if (problem !== undefined) {
      return refuse(exchange, { status: 400, code: errorCode.invalidRequest, text: problem })
    }
    const reply = connection.makeReply(exchange)
    const { batch, messages } = takeBatch(this.#host, values, connection, (answers) => {
      if (answers.length > 0) reply.finish(answers)
      else if (reply.isStream) reply.close()
      else reply.replace(() => exchange.answer(202, []))
    })
    const requests = requestsIn(messages)
    const twice = requests.find(
      ({ id }, at) => connection.isUnderWay(id) || requests.some((other, index) => index < at && other.id === id),
    )
    if (twice !== undefined) return reply.replace(() => refuseTwice(exchange, twice))
    for (const request of requests) {
      connection.expect(request, {
        send: (message) => reply.send(message),
        drop: (id) => batch.drop(id),
        answer: (message) => void batch.take(message),
      })
    }
    for (const message of messages) connection.protocol.receive(message, origin)
    batch.handedOver()
  }

  #initialize(request: JSONRPCRequest, origin: Origin, exchange: HttpExchange): void {
    if (!this.#options.table.makeRoom()) return refuseForRoom(exchange)
    const connection = new HttpConnection(randomUUID(), origin.principal, this.#options)
    this.#options.table.add(connection)
    const reply = connection.makeReply(exchange)
    connection.expect(request, {
      send: (message) => reply.send(message),
      drop: () => reply.close(),
      answer: (message) => {
        if ('result' in message) return reply.finish(message, 200, ['Mcp-Session-Id', connection.id])
        reply.finish(message)
        connection.protocol.close('client').catch((error: unknown) => this.#host.report(error))
      },
    })
    connection.protocol.receive(request, origin)
  }

  /** The connection that an exchange names. Undefined when the exchange was answered with what is wrong. */
  async #find(principal: Principal | undefined, exchange: HttpExchange, requestId?: JSONRPCRequest['id']) {
    const id = exchange.header('mcp-session-id')
    if (id === undefined) {
      const text = 'Send initialize first, then its Mcp-Session-Id with every request.'
      return refuse(exchange, { status: 400, code: errorCode.invalidRequest, text, id: requestId })
    }
    const version = exchange.header('mcp-protocol-version')
    const supported: readonly string[] = legacyVersions(this.#host.versions)
    if (version !== undefined && !supported.includes(version)) {
      const data = { supported, requested: version }
      const text = `Unsupported protocol version: ${JSON.stringify(version)}`
      return refuse(exchange, { status: 400, code: errorCode.unsupportedVersion, text, id: requestId, data })
    }
    const found = this.#options.table.get(id) ?? (await this.#restore(id, principal, exchange))
    if (found === 'refused') return undefined
    // To another principal the connection looks as if it did not exist.
    if (found instanceof HttpConnection && found.principal?.id === principal?.id && !found.protocol.isClosed)
      return found
    const text = 'There is no such connection, or no more: send initialize again.'
    return refuse(exchange, { status: 404, code: unknownConnection, text, id: requestId })
  }

  async #restore(id: string, principal: Principal | undefined, exchange: HttpExchange) {
    const { records } = this.#options
    if (records === undefined || !isConnectionId(id)) return undefined
    const key = JSON.stringify([id, principal?.id])
    let restoring = this.#restoring.get(key)
    if (restoring === undefined) {
      restoring = this.#open(id, principal, records, exchange).finally(() => this.#restoring.delete(key))
      this.#restoring.set(key, restoring)
    }
    try {
      return await restoring
    } catch (error) {
      this.#host.report(error)
      const text = 'Connections cannot be looked up now. Try again later.'
      refuse(exchange, { status: 503, code: errorCode.internal, text, headers: retryAfter })
      return 'refused'
    }
  }

  /** Goes on with a connection that another process opened. */
  async #open(id: string, principal: Principal | undefined, records: ConnectionRecords, http: HttpExchange) {
    const record = await records.load(id)
    if (record === undefined || record.principal !== principal?.id) return undefined
    if (!this.#options.table.makeRoom()) throw new Error('There is no room to go on with a connection: all are in use.')
    const connection = new HttpConnection(id, principal, this.#options)
    this.#options.table.add(connection)
    try {
      await connection.protocol.restore(record, { principal, http })
    } catch (error) {
      // The server does not let it in any more; a client that begins anew will hear why.
      this.#host.report(error)
      await connection.protocol.close('lost')
      return undefined
    }
    return connection
  }
}

/** What clients of this transport are used to for a connection that is gone. */
const unknownConnection = -32_001
const retryAfter = ['Retry-After', '5']

export function refuseForRoom(exchange: HttpExchange): void {
  const text = 'There are as many connections as this server takes, and all are in use. Try again later.'
  refuse(exchange, { status: 503, code: errorCode.internal, text, headers: retryAfter })
}

function refuseBusy(exchange: HttpExchange, id?: JSONRPCRequest['id']): void {
  const text = 'This connection has as many requests under way as it may. Wait for some of them.'
  refuse(exchange, { status: 503, code: errorCode.internal, text, id, headers: retryAfter })
}

function refuseTwice(exchange: HttpExchange, { id }: JSONRPCRequest): void {
  const text = `Request ${JSON.stringify(id)} is still under way: give each request an id of its own.`
  refuse(exchange, { status: 400, code: errorCode.invalidRequest, text, id })
}

function isConnectionId(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)
}
