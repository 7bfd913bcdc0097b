import type { Socket } from 'node:net'
import { FastRequest } from './fast-request.ts'
import { FastResponse, type ResponseOwner } from './fast-response.ts'
import { readRequestHead, type RequestHead } from './request-head.ts'

/** Who answers ordinary requests. */
export interface FastHandler {
  /** Whether requests for this path may be read here. */
  takes(path: string): boolean
  handle(request: FastRequest, response: FastResponse): void
}

export interface ConnectionOwner {
  readonly handler: FastHandler
  closingHeaders(isKeptAlive: boolean): string
  /** Gives the socket to node:http. */
  passOn(socket: Socket): void
  onGone(connection: FastConnection): void
}

/** A larger head is node:http's, which says what is too large. */
const maxHeadBytes = 8192
/** A larger body is read by node:http, where what is kept of it counts against the memory of the hub. */
const maxBodyBytes = 65_536
/** What a client may send before it has its answer. */
const maxAheadBytes = 65_536

const ordinaryStart = 'POST /'
const carriageReturn = 0x0d
const lineFeed = 0x0a
const nothing = Buffer.alloc(0)

/** One socket, as long as only ordinary requests come over it: one after another, each answered before the next. */
export class FastConnection implements ResponseOwner {
  readonly socket: Socket
  readonly #owner: ConnectionOwner
  /** What is read and not yet part of a request. */
  #bytes: Buffer = nothing
  /** The head of the request whose body is not whole. */
  #head: RequestHead | null = null
  #headEnd = 0
  #response: FastResponse | null = null
  /** The last head, as clients send the same one again and again. */
  #lastText = ''
  #lastHead: RequestHead | null = null
  /** When it began to wait, or its request to come. */
  #since = performance.now()
  #isPaused = false
  #closesWhenIdle = false
  /** The client sends no more. */
  #hasEnded = false

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket
    this.#owner = owner
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('timeout', this.#onTimeout)
    socket.on('close', this.#onClose)
  }

  closingHeaders(isKeptAlive: boolean): string {
    return this.#owner.closingHeaders(isKeptAlive && !this.#closesWhenIdle)
  }

  get hasMore(): boolean {
    return this.#bytes.length > 0
  }

  finished(response: FastResponse): void {
    if (this.#response !== response) return
    this.#response = null
    const isKept = response.shouldKeepAlive && !this.#closesWhenIdle
    response.close()
    if (!isKept) return void this.socket.end()
    this.#since = performance.now()
    if (this.#isPaused) {
      this.#isPaused = false
      this.socket.resume()
    }
    if (this.#bytes.length > 0) this.#advance()
    if (this.#hasEnded) this.#onEnd()
  }

  /** Closes what waits too long, and leaves to node:http what comes too slowly. */
  look(now: number, { idleMs, partMs }: { readonly idleMs: number; readonly partMs: number }): void {
    if (this.#response !== null) return
    if (this.#bytes.length > 0) {
      if (now - this.#since > partMs) this.#passOn()
    } else if (now - this.#since > idleMs) this.destroy()
  }

  closeWhenIdle(): void {
    this.#closesWhenIdle = true
    if (this.#response === null && this.#bytes.length === 0) this.destroy()
  }

  destroy(): void {
    this.socket.destroy()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#bytes.length === 0) {
      this.#bytes = chunk
      this.#since = performance.now()
    } else this.#bytes = Buffer.concat([this.#bytes, chunk])
    if (this.#response === null) return this.#advance()
    // The next request before the answer: it waits for its turn, and does not grow meanwhile.
    if (this.#bytes.length < maxAheadBytes) return
    this.#isPaused = true
    this.socket.pause()
  }

  /** Goes on with what is there: at most one request, since the next one waits for its answer. */
  #advance(): void {
    const head = this.#head ?? this.#readHead()
    if (head === null) return
    const end = this.#headEnd + head.length
    const bytes = this.#bytes
    if (bytes.length < end) {
      this.#head = head
      return
    }
    this.#head = null
    const body = bytes.subarray(this.#headEnd, end)
    this.#bytes = bytes.length === end ? nothing : bytes.subarray(end)
    const response = new FastResponse(this)
    this.#response = response
    this.#owner.handler.handle(new FastRequest(head, body, this.socket), response)
  }

  /** Null when there is none, or none yet. */
  #readHead(): RequestHead | null {
    const bytes = this.#bytes
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0 || end > maxHeadBytes) {
      const isHopeless = bytes.length > maxHeadBytes || !isOrdinaryStart(bytes)
      if (isHopeless) this.#passOn()
      return null
    }
    const text = bytes.toString('latin1', 0, end)
    const head = text === this.#lastText ? this.#lastHead : readRequestHead(text)
    if (head === null || head.length > maxBodyBytes || !this.#owner.handler.takes(head.path)) {
      this.#passOn()
      return null
    }
    this.#lastText = text
    this.#lastHead = head
    this.#headEnd = end + 4
    return head
  }

  #passOn(): void {
    const { socket } = this
    this.#leave()
    socket.pause()
    socket.setTimeout(0)
    this.#owner.passOn(socket)
    if (this.#bytes.length > 0) socket.unshift(this.#bytes)
    this.#bytes = nothing
    socket.resume()
  }

  #leave(): void {
    const { socket } = this
    socket.off('data', this.#onData)
    socket.off('drain', this.#onDrain)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('timeout', this.#onTimeout)
    socket.off('close', this.#onClose)
    this.#owner.onGone(this)
  }

  readonly #onDrain = (): void => {
    this.#response?.emit('drain')
  }

  /** A client that sends no more wants no more, as for node:http. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true
    if (this.#response === null && this.#bytes.length > 0)
      return void this.socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    // An answer that leaves at the end of this turn comes before the end, and so do those to requests behind it.
    if (this.#response?.writableEnded !== true) this.socket.end()
  }

  readonly #onError = (): void => {
    this.socket.destroy()
  }

  readonly #onTimeout = (): void => {
    this.socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#leave()
    const response = this.#response
    this.#response = null
    response?.close()
  }
}

/** Whether what has come so far may be the begin of an ordinary request. */
function isOrdinaryStart(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, ordinaryStart.length)
  if (bytes.toString('latin1', 0, length) !== ordinaryStart.slice(0, length)) return false
  // To node:http a line feed alone may end a line, and so the head.
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1))
    if (bytes[at - 1] !== carriageReturn) return false
  return true
}
