import { piecesToBuffer, streamHeaders, toOneLine, writeJson, type Pieces } from '../../../wire/index.ts'
import { ResponseWriter, type ClientResponse } from '@herma/framework/wire'

/** Bytes of earlier messages that a client may leave unread when the next one comes. */
const maxUnreadBytes = 16 * 1024 * 1024
/** Proxies and clients give up on a silent stream after 30 s or more. */
const keepAliveMs = 15_000

interface EventStreamOptions {
  readonly keepBytes?: number
  /** The sequence goes on after this number. */
  readonly after?: number
  /** The id of the request that the stream answers, in JSON, so that a client can be told of its end without the stream. */
  readonly requestId?: string | null
}

interface AttachOptions {
  readonly headers?: readonly string[]
  readonly primes?: boolean
  /** Tells the client from others of its principal. */
  readonly connection?: object | null
}

interface KeptEvent {
  readonly sequence: number
  readonly bytes: Buffer
}

/**
 * Events towards a client. A stream of a legacy connection numbers them and keeps the last ones, so that a client that
 * lost its connection can ask for the rest; a modern one is gone with its connection.
 */
export class EventStream {
  readonly number: number | null
  isEnded = false
  endedAt = 0
  /** Every byte has left this process, which does not mean that it arrived. */
  isWritten = false
  lastWriteAt = performance.now()
  #writer: ResponseWriter | null = null
  #sequence: number
  #kept: KeptEvent[] = []
  #keptBytes = 0
  readonly #keepBytes: number
  readonly #mark: string

  /** `number` identifies a stream that can be resumed within its connection. */
  constructor(number: number | null, options: EventStreamOptions = {}) {
    this.number = number
    this.#keepBytes = options.keepBytes ?? 0
    this.#sequence = options.after ?? 0
    this.#mark = toMark(options.requestId ?? null)
  }

  get isAttached(): boolean {
    return this.#writer !== null
  }

  get keptBytes(): number {
    return this.#keptBytes
  }

  /** Writes to this response from now on; an older one is closed, since a client listens on one only. */
  attach(client: ClientResponse, options: AttachOptions = {}): void {
    this.#writer?.end()
    const writer = new ResponseWriter(client, options.connection ?? null, () => this.#forget())
    this.#writer = writer
    const { response } = client
    response.writeHead(200, [...streamHeaders, ...(options.headers ?? [])])
    response.once('close', () => {
      if (this.#writer === writer) this.#writer = null
    })
    // An event with an id and no data gives the client a place to resume from before the first message.
    if (options.primes === true && this.number !== null) this.#write(`id: ${this.#eventId()}\ndata: \n\n`)
    else response.flushHeaders()
  }

  /** Whether an event was sent here; of those behind it the kept ones are at least the last. */
  hasReached(sequence: number): boolean {
    return sequence <= this.#sequence
  }

  /** Continues on another response with what came after an event. */
  resume(client: ClientResponse, afterSequence: number, connection: object | null = null): void {
    const hasEnded = this.isEnded
    this.isEnded = false
    this.attach(client, { connection })
    for (const event of this.#kept) {
      if (event.sequence > afterSequence) this.#write(event.bytes)
    }
    if (hasEnded) this.end()
  }

  send(message: Pieces): boolean {
    if (this.isEnded) return true
    const pieces = message.body === null ? message : { ...message, body: bytesToOneLine(message.body) }
    if (this.number === null) return this.#writeEvent('event: message\ndata: ', pieces)
    const sequence = ++this.#sequence
    const head = `event: message\nid: ${this.#eventId()}\ndata: `
    const bytes = Buffer.concat([Buffer.from(head), piecesToBuffer(pieces), Buffer.from('\n\n')])
    this.#keep({ sequence, bytes })
    return this.#write(bytes)
  }

  /** Sends an event of another type than a message. */
  sendEvent(type: string, data: string): void {
    this.#write(`event: ${type}\ndata: ${data}\n\n`)
  }

  sendMessage(message: object): boolean {
    return this.send({ head: toOneLine(writeJson(message)), body: null, tail: '' })
  }

  /** Calls back once the client has read what was sent until now, or has gone. */
  whenRead(done: () => void): void {
    if (this.#writer === null) done()
    else this.#writer.whenRead(done)
  }

  /** Writes a comment now and then: it carries nothing, and keeps proxies and clients from giving up. */
  beat(now: number): void {
    if (this.isAttached && now - this.lastWriteAt > keepAliveMs) this.#write(': keep-alive\n\n')
  }

  /** Closes the response but not the stream: the client shall come back for the rest after this time. */
  pause(retryMs: number): void {
    this.#write(`retry: ${retryMs}\n\n`)
    this.#writer?.end()
    this.#writer = null
  }

  /** No more events. A client that is away can still fetch the last ones. */
  end(): void {
    if (!this.isEnded) this.endedAt = performance.now()
    this.isEnded = true
    this.#writer?.end()
    this.#writer = null
  }

  #eventId(): string {
    return `${this.number}-${this.#sequence}${this.#mark}`
  }

  #keep(event: KeptEvent): void {
    this.#kept.push(event)
    this.#keptBytes += event.bytes.length
    while (this.#keptBytes > this.#keepBytes && this.#kept.length > 1)
      this.#keptBytes -= this.#kept.shift()!.bytes.length
  }

  #writeEvent(head: string, pieces: Pieces): boolean {
    const writer = this.#reader()
    if (writer === null) return true
    const { response } = writer
    response.cork()
    writer.write(head + pieces.head)
    if (pieces.body !== null) writer.write(pieces.body)
    const hasRoom = writer.write(`${pieces.tail}\n\n`)
    response.uncork()
    this.lastWriteAt = performance.now()
    return hasRoom
  }

  #write(bytes: Buffer | string): boolean {
    const writer = this.#reader()
    if (writer === null) return true
    this.lastWriteAt = performance.now()
    return writer.write(bytes)
  }

  /** Where to write to. A client that leaves too much unread is cut off, or it would fill the memory. */
  #reader(): ResponseWriter | null {
    const writer = this.#writer
    if (writer !== null && writer.unread > maxUnreadBytes) {
      this.#forget()
      this.#writer = null
      writer.response.destroy()
    }
    return this.#writer
  }

  /** Nothing is kept for a client that takes nothing. */
  #forget(): void {
    this.#kept = []
    this.#keptBytes = 0
  }
}

/** What the id of an event says. */
export interface EventPlace {
  readonly stream: number
  readonly sequence: number
  /** The id of the request that the stream answers, in JSON. */
  readonly requestId: string | null
}

/** Null for what is no id of an event of ours. */
export function readEventId(text: string): EventPlace | null {
  const [, stream, sequence, mark] = /^(\d{1,9})-(\d{1,10})(?:-([\w-]{1,64}))?$/.exec(text) ?? []
  if (stream === undefined) return null
  const requestId = mark === undefined ? null : Buffer.from(mark, 'base64url').toString('utf8')
  return { stream: Number(stream), sequence: Number(sequence), requestId: isId(requestId) ? requestId : null }
}

/** The client wrote it, or somebody in its place. */
function isId(text: string | null): boolean {
  if (text === null || !/^(?:-?[\d.eE+-]+|"[^\n\r]*")$/.test(text)) return false
  try {
    return ['string', 'number'].includes(typeof JSON.parse(text))
  } catch {
    return false
  }
}

const maxMarkLength = 64

function toMark(requestId: string | null): string {
  const mark = requestId === null ? '' : Buffer.from(requestId).toString('base64url')
  return mark === '' || mark.length > maxMarkLength ? '' : `-${mark}`
}

// A line break would end the event. Between the tokens of JSON, the only place where it may stand, a space does as well.
function bytesToOneLine(body: Buffer): Buffer {
  if (!body.includes(0x0a) && !body.includes(0x0d)) return body
  return Buffer.from(body.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)))
}
