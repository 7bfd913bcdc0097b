import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { Client } from '../network/undici.ts'
import type { OutgoingRequest, ResponseHandler } from './fast-client-socket.ts'

/**
 * Lets undici read an answer that is not ordinary: it gets a connection that swallows its request, which the server has
 * already, and begins with what was read so far. So an answer means what it always meant.
 */
export function readOddResponse(
  { read, socket, origin }: { readonly read: Buffer; readonly socket: Socket; readonly origin: string },
  { path, headers, body }: OutgoingRequest,
  handler: ResponseHandler,
): void {
  const client = new Client(origin, {
    // Later, as a connection would be there: at once undici misses it.
    connect: (_, callback) => setImmediate(() => callback(null, new ReplayedSocket(read, socket) as unknown as Socket)),
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  })
  const end = () => void client.destroy()
  client.dispatch(
    { path, method: 'POST', headers: [...headers], body },
    {
      onConnect: (abort) => handler.onConnect(abort),
      onHeaders: (status, raw, resume) => {
        handler.onHead(
          status,
          raw.map((text, index) => (index % 2 === 0 ? text.toString('latin1').toLowerCase() : text.toString('latin1'))),
          resume,
        )
        return true
      },
      onData: (chunk) => handler.onData(chunk),
      onComplete: () => {
        handler.onComplete()
        end()
      },
      onError: (error) => {
        handler.onError(error)
        end()
      },
    },
  )
}

/** What came over a socket, and what comes; what is written is dropped. */
class ReplayedSocket extends Duplex {
  readonly #socket: Socket
  #read: Buffer | null
  #isAsked = false
  #wants = false

  constructor(read: Buffer, socket: Socket) {
    super({ allowHalfOpen: true })
    this.#read = read
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause()
    })
    socket.on('end', () => this.push(null))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy())
  }

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done()
    if (this.#isAsked) return
    this.#isAsked = true
    if (this.#wants) this._read()
  }

  /** An answer before its request would be one that nobody asked for. */
  override _read(): void {
    this.#wants = true
    if (!this.#isAsked) return
    const read = this.#read
    this.#read = null
    if (read !== null && !this.push(read)) return
    this.#socket.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
