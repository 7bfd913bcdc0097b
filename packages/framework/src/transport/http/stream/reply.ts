import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { errorCode } from '../../../protocol/errors.ts'
import { errorMessage } from '../../../protocol/message.ts'
import type { EventStream } from './event-stream.ts'
import type { HttpExchange } from '../exchange/exchange.ts'
import type { Ticker } from './ticker.ts'
import { jsonHeaders } from '../exchange/refuse.ts'

export interface ReplyOptions {
  readonly ticker: Ticker
  /** After so many seconds a silent request becomes a stream, which can carry signs of life and be resumed. */
  readonly streamAfterTicks: number
  openStream(): EventStream
  report(error: unknown): void
}

/** The answer to one POST: a JSON document or, when something is sent before the answer, a stream. */
export class Reply {
  readonly #exchange: HttpExchange
  readonly #options: ReplyOptions
  #stream: EventStream | undefined
  #ticks = 0

  constructor(exchange: HttpExchange, options: ReplyOptions) {
    this.#exchange = exchange
    this.#options = options
    options.ticker.add(this)
  }

  get isStream(): boolean {
    return this.#stream !== undefined
  }

  /** Sends something before the answer. */
  send(message: JSONRPCMessage): void {
    this.#open()?.send(message)
  }

  /** Sends the answer, or the answers to a batch. The status and headers count unless it is a stream already. */
  finish(answer: JSONRPCMessage | readonly JSONRPCMessage[], status = 200, headers: readonly string[] = []): void {
    this.#options.ticker.delete(this)
    try {
      this.#finish(answer, status, headers)
    } catch (error) {
      // It holds something that JSON cannot say, such as a bigint. The client still waits for an answer.
      this.#options.report(error)
      const messages = (Array.isArray(answer) ? answer : [answer]) as JSONRPCMessage[]
      const refusals = messages.map((message) => unwritable('id' in message ? message.id : undefined))
      this.#finish(Array.isArray(answer) ? refusals : refusals[0]!, status, headers)
    }
  }

  /** Lets the response go; the client resumes its stream for the answer. */
  pause(): void {
    this.#open()?.pause()
  }

  /** Ends it without an answer, which a client that cancelled does not wait for. */
  close(): void {
    this.#options.ticker.delete(this)
    if (this.#stream !== undefined) return this.#stream.end()
    this.#exchange.answer(200, ['Content-Type', 'text/event-stream'])
  }

  /** Answers with something else than a JSON-RPC message, such as a challenge. */
  replace(give: (exchange: HttpExchange) => void): void {
    this.#options.ticker.delete(this)
    give(this.#exchange)
  }

  tick(): void {
    if (++this.#ticks < this.#options.streamAfterTicks) return
    this.#options.ticker.delete(this)
    this.#open()
  }

  #finish(answer: JSONRPCMessage | readonly JSONRPCMessage[], status: number, headers: readonly string[]): void {
    const stream = this.#stream
    if (stream === undefined) return this.#exchange.answer(status, [...jsonHeaders, ...headers], JSON.stringify(answer))
    // On a stream each of the answers is an event of its own, as clients expect.
    for (const message of Array.isArray(answer) ? answer : [answer]) stream.send(message as JSONRPCMessage)
    stream.end()
  }

  /** Undefined when the client left before there was a stream: it has nothing to come back to. */
  #open(): EventStream | undefined {
    if (this.#stream !== undefined || this.#exchange.isGone) return this.#stream
    this.#options.ticker.delete(this)
    this.#stream = this.#options.openStream()
    this.#stream.attach(this.#exchange)
    return this.#stream
  }
}

function unwritable(id: RequestId | undefined): JSONRPCMessage {
  return errorMessage(id ?? null, errorCode.internal, 'The server gave an answer that cannot be written as JSON.')
}
