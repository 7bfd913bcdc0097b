import type { JSONRPCMessage, JSONRPCNotification } from '@modelcontextprotocol/server'
import type { EventLog } from '../../../store/store.ts'
import { streamHeaders } from '../../../wire/stream-headers.ts'
import type { HttpExchange } from '../exchange/exchange.ts'
import type { Ticker } from './ticker.ts'

/** Bytes of earlier messages that a client may leave unread when the next one comes. */
const maxUnreadBytes = 4 * 1024 * 1024
/** Messages that may wait for a slow log. */
const maxQueued = 1000
/** Announcements that wait for a client without a stream. */
const maxMissed = 64
/** Proxies and clients give up on a silent stream after 30 seconds or more. */
const keepAliveTicks = 15
const retryMs = 1000

/** Stands in the log for an event without data, which gives a client a place to resume from. */
const primer: JSONRPCNotification = { jsonrpc: '2.0', method: 'notifications/herma/primer' }

/** Makes a stream one that a client can resume. */
export interface StreamLog {
  readonly events: EventLog
  /** The stream's name in the log. */
  readonly name: string
  /** Clients since 2025-11-25 understand an event without data. */
  readonly primes: boolean
  /** Keeps what comes while nobody listens for whoever listens next. */
  readonly keepsMissed?: boolean
  /** All events are in the log. */
  onEnded?(): void
  report(error: unknown): void
}

/** Events for a client: on one response or, with a log, on several after each other. */
export class EventStream {
  readonly #ticker: Ticker
  readonly #log: StreamLog | undefined
  readonly #missed: string[] = []
  #exchange: HttpExchange | undefined
  #tail: Promise<void> = Promise.resolve()
  #queued = 0
  #quietTicks = 0
  #isEnded = false

  constructor(ticker: Ticker, log?: StreamLog) {
    this.#ticker = ticker
    this.#log = log
  }

  /** True while somebody reads it. */
  get isAttached(): boolean {
    return this.#exchange !== undefined
  }

  /** Writes to this exchange from now on. An older one ends, since a client listens on one only. */
  attach(exchange: HttpExchange): void {
    this.#begin(exchange)
    if (this.#log === undefined) return
    this.#write(`retry: ${retryMs}\n\n`)
    if (this.#log.primes) this.#append(primer, '')
    this.#enqueue(() => {
      for (const event of this.#missed.splice(0)) this.#write(event)
    })
  }

  /** Goes on where an exchange broke. False when the log does not know the event any more. */
  resume(exchange: HttpExchange, lastEventId: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      // Runs in the queue, so that an event that is being logged now is sent exactly once.
      this.#enqueue(async () => {
        const later = await this.#log?.events.after(lastEventId).catch(reject)
        if (later === undefined) return resolve(false)
        this.#begin(exchange)
        this.#missed.length = 0
        this.#write(`retry: ${retryMs}\n\n`)
        for (const { id, message } of later) {
          this.#write(toEvent(isPrimer(message) ? '' : JSON.stringify(message), id))
          // What the client missed may exceed the limit of unread bytes, so wait until it has read.
          await exchange.drained()
        }
        if (this.#isEnded) this.#finish()
        resolve(true)
      })
    })
  }

  send(message: JSONRPCMessage): void {
    if (this.#isEnded) return
    const data = JSON.stringify(message)
    if (this.#log === undefined) this.#write(toEvent(data))
    else if (this.#queued < maxQueued || !('method' in message)) this.#append(message, data)
    // The log cannot keep up. The client would not notice a gap, but it notices a closed stream.
    else this.#cut()
  }

  /** Writes an event of another type, which no log keeps. */
  sendEvent(type: string, data: string): void {
    this.#write(`event: ${type}\ndata: ${data}\n\n`)
  }

  /** No more events. */
  end(): void {
    this.#isEnded = true
    if (this.#log === undefined) this.#finish()
    else this.#enqueue(() => this.#endLogged())
  }

  /** Ends the response but not the stream, after what was sent before: the client comes back for the rest. */
  pause(): void {
    if (this.#log === undefined) this.#finish()
    else this.#enqueue(() => this.#finish())
  }

  tick(): void {
    if (++this.#quietTicks >= keepAliveTicks) this.#write(': keep-alive\n\n')
  }

  #begin(exchange: HttpExchange): void {
    this.#finish()
    this.#exchange = exchange
    exchange.startStream(streamHeaders)
    exchange.onGone(() => this.#detach(exchange))
    if (this.#exchange === exchange) this.#ticker.add(this)
  }

  #append(message: JSONRPCMessage, data: string): void {
    const log = this.#log!
    this.#enqueue(async () => {
      // An event that could not be logged is sent without an id: the client cannot resume from it.
      const id = await log.events.append(log.name, message).catch(log.report)
      const event = toEvent(data, id ?? undefined)
      if (this.isAttached) this.#write(event)
      else if (log.keepsMissed === true && message !== primer) this.#keep(event)
    })
  }

  #enqueue(step: () => void | Promise<void>): void {
    this.#queued++
    this.#tail = this.#tail
      .then(step)
      .catch((error: unknown) => this.#log?.report(error))
      .finally(() => this.#queued--)
  }

  #keep(event: string): void {
    if (this.#missed.length >= maxMissed) this.#missed.shift()
    this.#missed.push(event)
  }

  #write(text: string): void {
    const exchange = this.#exchange
    if (exchange === undefined) return
    if (exchange.unreadBytes > maxUnreadBytes) return this.#cut()
    this.#quietTicks = 0
    exchange.write(text)
  }

  #cut(): void {
    const exchange = this.#exchange
    if (exchange === undefined) return
    this.#detach(exchange)
    exchange.cut()
  }

  #endLogged(): void {
    this.#finish()
    this.#log?.onEnded?.()
  }

  #finish(): void {
    const exchange = this.#exchange
    if (exchange === undefined) return
    this.#detach(exchange)
    exchange.end()
  }

  #detach(exchange: HttpExchange): void {
    if (this.#exchange !== exchange) return
    this.#exchange = undefined
    this.#ticker.delete(this)
  }
}

function toEvent(data: string, id?: string): string {
  const place = id === undefined ? '' : `id: ${id}\n`
  return data === '' ? `${place}data: \n\n` : `event: message\n${place}data: ${data}\n\n`
}

function isPrimer(message: JSONRPCMessage): boolean {
  return 'method' in message && message.method === primer.method
}
