import { piecesLength, type Pieces, type RequestId, type RequestMessage } from '../../../wire/index.ts'
import type { Connection } from '../../connection/connection.ts'
import { EventStream } from './event-stream.ts'
import { identify, type ResponseSink } from './response-sink.ts'
import { ResponseWriter, type ClientResponse, type ResponseStream } from '@herma/framework/wire'

/** Header and body of a small answer leave in one write. */
const oneWriteBytes = 16_384
/** A call without an answer by then becomes a stream, which can carry signs of life. */
const streamAfterMs = 5000

/** The response of an HTTP request: plain JSON, or a stream once there is more to say. */
export class HttpSink implements ResponseSink {
  readonly id: RequestId
  readonly clientId: string
  onGone: (() => void) | null = null
  readonly #connection: Connection | null
  readonly #client: ClientResponse
  readonly #response: ResponseStream
  /** Of a plain answer that is large. */
  #writer: ResponseWriter | null = null
  readonly #startedAt = performance.now()
  #stream: EventStream | null = null
  #isDone = false
  #isClosed = false
  #permit: { release(): void } | null = null

  /** `message` is null for a batch, whose requests have sinks of their own. */
  constructor(message: RequestMessage | null, connection: Connection | null, client: ClientResponse) {
    const { id, clientId } = message === null ? batchIdentity : identify(message)
    this.id = id
    this.clientId = clientId
    this.#connection = connection
    this.#client = client
    this.#response = client.response
    this.#response.once('close', () => this.#onClose())
  }

  finish(pieces: Pieces, status: number, headers: readonly string[] = []): void {
    this.#isDone = true
    const stream = this.#stream
    if (stream !== null) {
      const wasAttached = stream.isAttached
      stream.send(pieces)
      stream.end()
      if (wasAttached) {
        this.#response.once('finish', () => {
          stream.isWritten = true
        })
      }
      return
    }
    const response = this.#response
    if (response.destroyed) return
    const length = piecesLength(pieces)
    response.writeHead(status, ['Content-Type', 'application/json', 'Content-Length', String(length), ...headers])
    if (pieces.body === null && length < oneWriteBytes) return void response.end(pieces.head + pieces.tail)
    if (pieces.body !== null && length < oneWriteBytes && isAscii(this.clientId)) {
      // Latin-1 keeps bytes as they are and lets the header and the body leave together.
      response.end(pieces.head + pieces.body.toString('latin1') + pieces.tail, 'latin1')
      return
    }
    response.cork()
    const writer = this.#write(pieces.head)
    if (pieces.body !== null) writer.write(pieces.body)
    if (pieces.tail !== '') writer.write(pieces.tail)
    writer.end()
    response.uncork()
  }

  send(message: object): boolean {
    return this.openStream().sendMessage(message)
  }

  begin(pieces: Pieces, length: number): boolean {
    if (this.#stream !== null || this.#response.headersSent) return false
    this.#response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(length)])
    this.#response.cork()
    this.#write(pieces.head).write(pieces.body!)
    this.#response.uncork()
    return true
  }

  continue(chunk: Buffer, onDrain: () => void): boolean {
    return this.#writer!.write(chunk, onDrain)
  }

  end(error?: Error): void {
    this.#isDone = true
    // The length was promised already: a cut connection is the only honest way to say that the rest is missing.
    if (error === undefined) this.#writer!.end()
    else this.#response.destroy()
  }

  #write(text: string): ResponseWriter {
    const writer = (this.#writer ??= new ResponseWriter(this.#client, this.#connection))
    writer.write(text)
    return writer
  }

  releaseWhenLeft(permit: { release(): void }): void {
    if (this.#isClosed) permit.release()
    else this.#permit = permit
  }

  /** Only clients since 2025-11-25 come back for a stream that was closed on purpose. */
  pause(retryMs: number): void {
    if (this.#connection?.primes === true) this.openStream().pause(retryMs)
  }

  isLast(): void {
    // Node says `Connection: close` then, and closes after the answer.
    if (!this.#response.headersSent) this.#response.shouldKeepAlive = false
  }

  close(): void {
    this.#isDone = true
    if (this.#stream !== null) this.#stream.end()
    else if (!this.#response.headersSent) this.#response.writeHead(200, ['Content-Type', 'text/event-stream']).end()
    else if (this.#writer !== null) this.#writer.end()
    else this.#response.end()
  }

  beat(now: number): void {
    if (this.#stream === null && now - this.#startedAt > streamAfterMs) this.openStream()
    this.#stream?.beat(now)
  }

  /** Turns the answer into a stream. A call that takes long does so by itself, so that nobody thinks it dead. */
  openStream(): EventStream {
    if (this.#stream !== null) return this.#stream
    this.#stream = this.#connection?.createStream(this.clientId) ?? new EventStream(null)
    if (!this.#response.destroyed && !this.#response.headersSent)
      this.#stream.attach(this.#client, { primes: this.#connection?.primes === true, connection: this.#connection })
    return this.#stream
  }

  /** A modern client cancels by closing; a legacy one may come back for the rest of its stream. */
  #onClose(): void {
    this.#isClosed = true
    // A plain answer that has begun cannot be resumed either.
    const isBegun = this.#stream === null && this.#response.headersSent
    if (!this.#isDone && (this.#connection === null || isBegun)) this.onGone?.()
    this.#permit?.release()
  }
}

const batchIdentity = { id: 0, clientId: '0' }

// What goes in front of a body is plain but for the id that the client chose.
function isAscii(clientId: string): boolean {
  return /^[\x20-\x7e]*$/.test(clientId)
}
