import { EventEmitter } from 'node:events'
import { STATUS_CODES, validateHeaderValue } from 'node:http'
import type { Socket } from 'node:net'
import type { ResponseStream } from '@herma/framework/wire'
import { writeInBurst } from './write-burst.ts'

/** What the connection of a response does for it. */
export interface ResponseOwner {
  readonly socket: Socket
  /** Whether something follows the request. */
  readonly hasMore: boolean
  /** `Keep-Alive` and all that stands there while the connection stays, or what says that it does not. */
  closingHeaders(isKeptAlive: boolean): string
  /** Every byte of the response has left. */
  finished(response: FastResponse): void
}

/**
 * The answer to an ordinary request: what this hub uses of node:http's `ServerResponse`, with the same bytes on the wire.
 * Head and body of a small answer leave in one write.
 */
export class FastResponse extends EventEmitter implements ResponseStream {
  headersSent = false
  destroyed = false
  writableEnded = false
  shouldKeepAlive = true
  readonly #owner: ResponseOwner
  readonly #socket: Socket
  /** The head, until it leaves with the first bytes of the body. */
  #head = ''
  #isChunked = false

  constructor(owner: ResponseOwner) {
    super()
    this.#owner = owner
    this.#socket = owner.socket
  }

  get writableLength(): number {
    return this.#socket.writableLength
  }

  get writableNeedDrain(): boolean {
    return !this.destroyed && !this.writableEnded && this.#socket.writableNeedDrain
  }

  /** `headers` are names and values in turn. */
  writeHead(status: number, headers: readonly string[] = []): this {
    if (this.headersSent) throw new Error('The head of this response was written before.')
    this.headersSent = true
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
    let hasLength = status === 204 || status === 304
    for (let index = 0; index < headers.length; index += 2) {
      const [name, value] = [headers[index]!, headers[index + 1]!]
      if (oddValue.test(value)) validateHeaderValue(name, value)
      if (name === 'Content-Length') hasLength = true
      head += `${name}: ${value}\r\n`
    }
    this.#isChunked = !hasLength
    const framing = hasLength ? '' : 'Transfer-Encoding: chunked\r\n'
    this.#head = `${head}${this.#owner.closingHeaders(this.shouldKeepAlive)}${framing}\r\n`
    return this
  }

  flushHeaders(): void {
    this.#begin()
    this.#send(this.#takeHead(), 'latin1')
  }

  write(chunk: string | Buffer): boolean {
    this.#begin()
    if (this.writableEnded || chunk.length === 0) return true
    const socket = this.#socket
    if (!this.#isChunked && typeof chunk === 'string' && this.#head !== '')
      return this.#send(this.#takeHead() + chunk, 'utf8')
    if (!this.#isChunked && this.#head === '') return this.#send(chunk, 'utf8')
    socket.cork()
    const size = this.#isChunked ? `${byteLength(chunk).toString(16)}\r\n` : ''
    this.#send(this.#takeHead() + size, 'latin1')
    let hasRoom = this.#send(chunk, 'utf8')
    if (this.#isChunked) hasRoom = this.#send('\r\n', 'latin1')
    socket.uncork()
    return hasRoom
  }

  end(chunk: string | Buffer = '', encoding: BufferEncoding = 'utf8'): this {
    if (this.writableEnded) return this
    this.#begin()
    const last = this.#isChunked ? '0\r\n\r\n' : ''
    if (this.#isChunked && chunk.length > 0)
      this.write(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    this.writableEnded = true
    if (this.destroyed) return this
    const rest = this.#isChunked ? '' : chunk
    if (typeof rest === 'string') {
      const text = this.#takeHead() + rest + last
      // Whoever has sent the next request already goes on at once.
      if (this.#owner.hasMore) this.#socket.write(text, encoding, this.#onLeft)
      else writeInBurst(this.#socket, text, encoding, this.#onLeft)
    } else {
      this.#socket.cork()
      this.#send(this.#takeHead(), 'latin1')
      this.#socket.write(rest, this.#onLeft)
      this.#socket.uncork()
    }
    return this
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  destroy(): this {
    this.#socket.destroy()
    // What node:http does too: whoever asks from now on finds it gone.
    this.destroyed = true
    return this
  }

  /** The connection is gone, or the response is over; either ends it. */
  close(): void {
    this.destroyed = true
    this.emit('close')
  }

  readonly #onLeft = (error?: Error | null): void => {
    if (error != null || this.destroyed) return
    this.emit('finish')
    this.#owner.finished(this)
  }

  #begin(): void {
    if (!this.headersSent) this.writeHead(200)
  }

  #takeHead(): string {
    const head = this.#head
    this.#head = ''
    return head
  }

  #send(data: string | Buffer, encoding: BufferEncoding): boolean {
    if (this.destroyed || data.length === 0) return true
    return typeof data === 'string' ? this.#socket.write(data, encoding) : this.#socket.write(data)
  }
}

/** What must not stand in a header; node:http says so in its own words. */
// eslint-disable-next-line no-control-regex
const oddValue = /[^\t -~]/

function byteLength(chunk: string | Buffer): number {
  return typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length
}
