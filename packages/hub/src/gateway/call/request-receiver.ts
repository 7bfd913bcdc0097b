import { HubError, type Principal } from '@herma/contract'
import type { AddressLimiter } from '../../access/index.ts'
import { ClearedMap } from '../../platform/cleared-map.ts'
import {
  isLegacyRevision,
  isObject,
  legacyRevisions,
  textAt,
  toIdKey,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
} from '../../wire/index.ts'
import type { Connection, NewCaller } from '../connection/connection.ts'
import type { ConnectionTable } from '../connection/connection-table.ts'
import { Exchange, type IncomingRequest, type ExchangeTable } from './exchange.ts'
import type { Facade } from '../facade.ts'
import { Refused, type Permission } from './permission.ts'
import { retryAfterSeconds } from '../transport/refuse.ts'

interface RequestReceiverOptions extends Pick<ExchangeTable, 'parking' | 'recorder' | 'redact'> {
  readonly facade: Facade
  readonly connections: ConnectionTable
  readonly permission: Pick<Permission, 'admit'>
  readonly addresses: Pick<AddressLimiter, 'refusalToOpen'>
}

const listening = 'subscriptions/listen'

/** Takes the messages of clients, whichever way they came. */
export class RequestReceiver {
  readonly #facade: Facade
  readonly #connections: ConnectionTable
  readonly #exchanges = new ClearedMap<number, Exchange>()
  readonly #table: ExchangeTable
  readonly #permission: RequestReceiverOptions['permission']
  readonly #addresses: RequestReceiverOptions['addresses']
  #lastExchange = 0
  #listeners = 0
  #isDraining = false

  constructor(parts: RequestReceiverOptions) {
    this.#facade = parts.facade
    this.#connections = parts.connections
    this.#permission = parts.permission
    this.#addresses = parts.addresses
    this.#table = {
      parking: parts.parking,
      recorder: parts.recorder,
      ...(parts.redact === undefined ? {} : { redact: parts.redact }),
      add: (exchange) => {
        this.#exchanges.set(exchange.number, exchange)
        if (exchange.method === listening) this.#listeners++
      },
      remove: (exchange) => {
        if (this.#exchanges.delete(exchange.number) && exchange.method === listening) this.#listeners--
      },
    }
  }

  /** The requests that are not answered yet. */
  get exchanges(): IterableIterator<Exchange> {
    return this.#exchanges.values()
  }

  /** The calls under way. Who only listens is none, such as a hub that has a team of this one in its catalog. */
  get exchangeCount(): number {
    return this.#exchanges.size - this.#listeners
  }

  /** The requests to one server that are not answered yet; one that only listens never is. */
  countOf(server: string): number {
    let count = 0
    for (const { caller, method } of this.#exchanges.values())
      if (caller.server === server && method !== listening) count++
    return count
  }

  /** Opens a connection for a legacy client. */
  async initialize(
    message: RequestMessage,
    { server, principal, address }: { server: string; principal: Principal; address: string },
    options: { isLasting: boolean } = { isLasting: true },
  ): Promise<{ connection: Connection; result: object }> {
    this.requireOpen()
    const refusal = this.#addresses.refusalToOpen(address)
    if (refusal !== null) throw refusal.refused
    this.#permission.admit({ principal, method: message.method }).release()
    const caller = toCaller(message, { server, principal })
    const result = await this.#facade.initializeResult(caller)
    const connection = options.isLasting
      ? await this.#connections.openLasting(caller, address)
      : this.#connections.open(caller)
    return { connection, result }
  }

  /** What a client is told that opens no connection. */
  introduce(message: RequestMessage, place: { server: string; principal: Principal }): Promise<object> {
    return this.#facade.initializeResult(toCaller(message, place))
  }

  run(arrival: IncomingRequest): void {
    const exchange = new Exchange(++this.#lastExchange, arrival, this.#table)
    if (this.#isDraining) exchange.fail(stoppingNow)
    else this.#facade.handle(exchange)
  }

  /** From now on no request is taken. Answers and notifications are: calls under way may need them to end. */
  drain(): void {
    this.#isDraining = true
    for (const exchange of this.#exchanges.values()) exchange.sink?.isLast?.()
  }

  /** Throws when the hub takes nothing new. */
  requireOpen(): void {
    if (this.#isDraining) throw stoppingNow
  }

  /** A notification or an answer of a legacy client. */
  notice(connection: Connection, message: NotificationMessage | ResponseMessage): void {
    if (!('method' in message)) return void connection.answer(message)
    // Progress of an answer is asked for by nobody.
    if (message.method === 'notifications/initialized' || message.method === 'notifications/progress') return
    if (message.method === 'notifications/cancelled') {
      const { requestId, reason } = message.params ?? {}
      const text = textAt(message, ['params', 'requestId'])
      connection.exchanges
        .get(toIdKey(requestId as RequestId, text))
        ?.cancel(typeof reason === 'string' ? reason : 'the client cancelled')
      return
    }
    this.#facade.passNotification(connection, message)
  }
}

const stoppingNow = new Refused(new HubError('HUB_STOPPING', 'The hub is stopping. Try again in a moment.'), 503, [
  'Retry-After',
  String(retryAfterSeconds),
])

function toCaller(message: RequestMessage, place: { server: string; principal: Principal }): NewCaller {
  const { protocolVersion, capabilities, clientInfo } = message.params ?? {}
  if (typeof protocolVersion !== 'string') {
    throw new HubError('INVALID_PARAMS', 'initialize needs "protocolVersion".')
  }
  return {
    principal: place.principal.id,
    server: place.server,
    revision: isLegacyRevision(protocolVersion) ? protocolVersion : legacyRevisions[0],
    clientInfo,
    capabilities: isObject(capabilities) ? capabilities : {},
  }
}
