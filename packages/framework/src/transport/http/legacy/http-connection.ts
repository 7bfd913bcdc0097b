import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/server'
import type { Principal } from '../../../auth/auth.ts'
import { errorMessage } from '../../../protocol/message.ts'
import type { LegacyProtocol } from '../../../host/legacy-protocol.ts'
import type { Host } from '../../../host/host.ts'
import type { EventLog } from '../../../store/store.ts'
import { EventStream } from '../stream/event-stream.ts'
import type { HttpExchange } from '../exchange/exchange.ts'
import type { LegacyConnection } from './connection-table.ts'
import type { Ticker } from '../stream/ticker.ts'
import { Reply } from '../stream/reply.ts'

export interface HttpConnectionOptions {
  readonly host: Host
  readonly ticker: Ticker
  /** Identifies this process in the names of streams. */
  readonly node: string
  readonly events: EventLog | undefined
  /** Stores the connection. */
  save(connection: HttpConnection): Promise<void>
  onClosed(connection: HttpConnection): void
}

/** Takes the messages that belong to a request. */
export interface Sink {
  send(message: JSONRPCMessage): void
  answer(message: JSONRPCMessage): void
  /** No answer will come. */
  drop(id: RequestId): void
}

/** Seconds until a silent request becomes a stream: soon where that lets it be resumed. */
const streamAfterTicks = { resumable: 2, other: 15 }
/** Methods that change the stored record of a connection. */
const changingMethods = new Set(['initialize', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'])
const connectionClosed = -32_000
const maxUnderWay = 1000

/** One legacy client over Streamable HTTP: requests with a response or stream each, and a stream for everything else. */
export class HttpConnection implements LegacyConnection {
  readonly kind = 'http'
  readonly id: string
  readonly principal: Principal | undefined
  readonly protocol: LegacyProtocol
  readonly #options: HttpConnectionOptions
  readonly #sinks = new Map<RequestId, Sink>()
  readonly #changing = new Set<RequestId>()
  /** The streams of running requests that can be resumed, by their names. */
  readonly #streams = new Map<string, EventStream>()
  #listening: EventStream | undefined
  #lastStream = 0

  constructor(id: string, principal: Principal | undefined, options: HttpConnectionOptions) {
    this.id = id
    this.principal = principal
    this.#options = options
    this.protocol = options.host.openLegacy(this, id)
  }

  get isRunning(): boolean {
    return this.#sinks.size > 0
  }

  get isListening(): boolean {
    return this.#listening?.isAttached === true
  }

  /** True when too many requests are running. They go on when a client leaves, so their number is limited. */
  get isBusy(): boolean {
    return this.#sinks.size >= maxUnderWay
  }

  isUnderWay(id: RequestId): boolean {
    return this.#sinks.has(id)
  }

  /** To be called before the request is handed to the protocol. */
  expect({ id, method }: JSONRPCRequest, sink: Sink): void {
    this.#sinks.set(id, sink)
    if (changingMethods.has(method)) this.#changing.add(id)
  }

  send(message: JSONRPCMessage, related?: RequestId): void {
    if ('method' in message) return this.#sendOnward(message, related)
    const id = message.id!
    if (this.#changing.delete(id)) void this.#options.save(this).then(() => this.#answer(id, message))
    else this.#answer(id, message)
  }

  dropped(id: RequestId): void {
    const sink = this.#sinks.get(id)
    this.#sinks.delete(id)
    this.#changing.delete(id)
    sink?.drop(id)
  }

  closed(): void {
    for (const [id, sink] of this.#sinks) sink.answer(errorMessage(id, connectionClosed, 'The connection was closed.'))
    this.#sinks.clear()
    this.stopListening()
    this.#options.onClosed(this)
  }

  makeReply(exchange: HttpExchange): Reply {
    const { ticker, events, host } = this.#options
    const isResumable = events !== undefined && this.#primes
    const reply = new Reply(exchange, {
      ticker,
      report: (error) => host.report(error),
      streamAfterTicks: isResumable ? streamAfterTicks.resumable : streamAfterTicks.other,
      openStream: () => this.#openStream(),
    })
    if (isResumable) exchange.closeStream = () => reply.pause()
    return reply
  }

  /** Opens the stream for what belongs to no request. */
  listen(exchange: HttpExchange): void {
    this.#stand().attach(exchange)
  }

  stopListening(): void {
    this.#listening?.pause()
  }

  /** Goes on with a stream of this connection after one of its events. */
  async resume(exchange: HttpExchange, lastEventId: string): Promise<'resumed' | 'unknown' | 'over'> {
    const { events, node, ticker } = this.#options
    const name = await events?.streamOf(lastEventId)
    if (events === undefined || name === undefined || !name.startsWith(`${this.id}/`)) return 'unknown'
    if (name === this.#listeningName) return (await this.#stand().resume(exchange, lastEventId)) ? 'resumed' : 'unknown'
    const running = this.#streams.get(name)
    if (running !== undefined) return (await running.resume(exchange, lastEventId)) ? 'resumed' : 'unknown'
    const isOfThisProcess = name.startsWith(`${this.id}/${node}/`)
    if (isOfThisProcess && (await events.after(lastEventId))?.length === 0) return 'over'
    // Here it has ended; elsewhere it may still be running, and the client comes back for what is missing.
    const rest = new EventStream(ticker, this.#log(name))
    const isKnown = await rest.resume(exchange, lastEventId)
    rest.end()
    return isKnown ? 'resumed' : 'unknown'
  }

  get #primes(): boolean {
    return this.protocol.connection?.version === '2025-11-25'
  }

  get #listeningName(): string {
    return `${this.id}/listening`
  }

  #sendOnward(message: JSONRPCMessage, related: RequestId | undefined): void {
    // The request is over and its stream with it; another stream must not carry its messages.
    if (related !== undefined) return this.#sinks.get(related)?.send(message)
    if (this.isListening || this.#options.events !== undefined) this.#stand().send(message)
  }

  #answer(id: RequestId, message: JSONRPCMessage): void {
    const sink = this.#sinks.get(id)
    this.#sinks.delete(id)
    sink?.answer(message)
  }

  #stand(): EventStream {
    const { ticker } = this.#options
    return (this.#listening ??= new EventStream(ticker, this.#log(this.#listeningName, true)))
  }

  #openStream(): EventStream {
    const { ticker, events, node } = this.#options
    if (events === undefined) return new EventStream(ticker)
    const name = `${this.id}/${node}/${++this.#lastStream}`
    const stream = new EventStream(ticker, { ...this.#log(name)!, onEnded: () => this.#streams.delete(name) })
    this.#streams.set(name, stream)
    return stream
  }

  #log(name: string, keepsMissed = false) {
    const { events, host } = this.#options
    if (events === undefined) return undefined
    return { events, name, keepsMissed, primes: this.#primes, report: (error: unknown) => host.report(error) }
  }
}
