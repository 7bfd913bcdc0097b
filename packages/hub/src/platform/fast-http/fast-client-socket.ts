import type { Socket } from 'node:net'
import { ChunkedBody } from './chunked-body.ts'
import { readOddResponse } from './odd-response.ts'
import { writeInBurst } from './write-burst.ts'
import { readResponseHead, type ResponseHead } from './response-head.ts'

export interface OutgoingRequest {
  readonly path: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string
}

/** Whoever waits for the answer; in the order of these methods, as undici calls its handlers. */
export interface ResponseHandler {
  /** The request is about to be written; from now on `abort` ends it. */
  onConnect(abort: (error?: Error) => void): void
  onHead(status: number, headers: readonly string[], resume: () => void): void
  /** False stops the reading until `resume` is called. */
  onData(chunk: Buffer): boolean
  onComplete(): void
  onError(error: Error): void
}

export interface ClientSocketOwner {
  readonly origin: string
  /** The request up to its Content-Length. */
  headOf(request: OutgoingRequest): string
  /** The answer is complete and the socket may be used again; `keptMs` is what the server said of it. */
  freed(socket: FastClientSocket, keptMs: number | null): void
  gone(socket: FastClientSocket): void
}

/** A larger head is left to undici, which says what is too large. */
const maxHeadBytes = 16_384

/** A connection to a server that takes one request at a time. */
export class FastClientSocket {
  /** When its last answer was complete, and until when it may rest. */
  freedAt = 0
  keptUntil = 0
  readonly #socket: Socket
  readonly #owner: ClientSocketOwner
  #request: OutgoingRequest | null = null
  #handler: ResponseHandler | null = null
  /** The begin of an answer whose head is not whole. */
  #part: Buffer | null = null
  #head: ResponseHead | null = null
  /** Bytes that are left of a body of known length. */
  #left = 0
  #chunks: ChunkedBody | null = null
  #isPaused = false
  #isGone = false
  /** Servers send the same head again and again but for a number or a date. */
  #lastText = ''
  #lastHead: ResponseHead | null = null

  constructor(socket: Socket, owner: ClientSocketOwner) {
    this.#socket = socket
    this.#owner = owner
    socket.setNoDelay(true)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  get isUsable(): boolean {
    return !this.#isGone && !this.#socket.destroyed && this.#socket.writable
  }

  send(request: OutgoingRequest, handler: ResponseHandler): void {
    const { body } = request
    this.#request = request
    this.#handler = handler
    handler.onConnect((error) => this.destroy(error ?? new Error('the request was given up')))
    if (this.#isGone) return
    const head = `${this.#owner.headOf(request)}content-length: ${Buffer.byteLength(body)}\r\n\r\n`
    writeInBurst(this.#socket, head + body, 'utf8')
  }

  /** Ends the connection, and with this error the request that is on it. */
  destroy(error?: Error): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#socket.destroy()
    this.#owner.gone(this)
    const handler = this.#handler
    this.#handler = null
    if (handler !== null) handler.onError(error ?? new Error('the connection was closed'))
  }

  readonly #resume = (): void => {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.resume()
  }

  readonly #onData = (chunk: Buffer): void => {
    // Bytes that nobody asked for may be the answer to somebody else's request later.
    if (this.#handler === null) return this.destroy()
    if (this.#head !== null) return this.#takeBody(chunk)
    this.#takeHead(this.#part === null ? chunk : Buffer.concat([this.#part, chunk]))
  }

  #takeHead(bytes: Buffer): void {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0 && bytes.length <= maxHeadBytes) {
      this.#part = bytes
      return
    }
    this.#part = null
    const head = end < 0 ? null : this.#readHead(bytes.toString('latin1', 0, end))
    if (head === null) return this.#leaveToOther(bytes)
    const rest = bytes.subarray(end + 4)
    this.#head = head
    const { framing } = head
    this.#left = typeof framing === 'number' ? framing : Number.POSITIVE_INFINITY
    this.#chunks = framing === 'chunked' ? new ChunkedBody((data) => this.#give(data)) : null
    this.#handler!.onHead(head.status, head.headers, this.#resume)
    if (this.#isGone) return
    if (rest.length > 0 || this.#left === 0) this.#takeBody(rest)
  }

  #readHead(text: string): ResponseHead | null {
    if (text === this.#lastText) return this.#lastHead
    const head = readResponseHead(text)
    this.#lastText = text
    this.#lastHead = head
    return head
  }

  #takeBody(bytes: Buffer): void {
    if (this.#chunks !== null) return this.#takeChunks(this.#chunks, bytes)
    const isWhole = bytes.length >= this.#left
    const data = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    const isMore = bytes.length > this.#left
    this.#left -= data.length
    if (data.length > 0) this.#give(data)
    if (isWhole && !this.#isGone) this.#complete(isMore)
  }

  #takeChunks(chunks: ChunkedBody, bytes: Buffer): void {
    let taken: number
    try {
      taken = chunks.push(bytes)
    } catch (error) {
      return this.destroy(new Error(`the answer cannot be read: ${(error as Error).message}`, { cause: error }))
    }
    if (chunks.isDone && !this.#isGone) this.#complete(taken < bytes.length)
  }

  #give(data: Buffer): void {
    if (this.#handler === null || this.#handler.onData(data)) return
    this.#isPaused = true
    this.#socket.pause()
  }

  /** A connection with something behind the answer, or with a request that was not taken whole, is not used again. */
  #complete(hasMore: boolean): void {
    const handler = this.#handler!
    const { isKeptAlive, keptMs } = this.#head!
    this.#handler = null
    this.#head = null
    this.#chunks = null
    this.#resume()
    if (!isKeptAlive || hasMore || this.#socket.writableLength > 0 || !this.isUsable) this.destroy()
    else this.#owner.freed(this, keptMs)
    handler.onComplete()
  }

  #leaveToOther(read: Buffer): void {
    const socket = this.#socket
    const handler = this.#handler!
    this.#handler = null
    this.#isGone = true
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    socket.pause()
    this.#owner.gone(this)
    readOddResponse({ read, socket, origin: this.#owner.origin }, this.#request!, handler)
  }

  readonly #onEnd = (): void => {
    if (this.#head?.framing === 'until-close' && this.#handler !== null) {
      this.#complete(true)
      return
    }
    this.destroy(new Error('the other side closed the connection'))
  }

  readonly #onError = (error: Error): void => {
    this.destroy(error)
  }

  readonly #onClose = (): void => {
    this.destroy(new Error('the other side closed the connection'))
  }
}
