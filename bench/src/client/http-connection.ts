import { connect, type Socket } from 'node:net'
import { HttpReader, type HttpMessage } from '../wire/http-reader.ts'

interface Waiting {
  resolve(message: HttpMessage): void
  reject(error: Error): void
}

/** One keep-alive HTTP/1.1 connection that carries one request at a time and re-opens when the server closed it. */
export class HttpConnection {
  readonly #url: URL
  readonly #timeoutMs: number
  #socket: Socket | undefined
  #waiting: Waiting | undefined

  constructor(url: string, timeoutMs: number) {
    this.#url = new URL(url)
    this.#timeoutMs = timeoutMs
  }

  /** `headers` are complete lines, each ended by CRLF. */
  async request(method: 'POST' | 'DELETE', headers: string, body = ''): Promise<HttpMessage> {
    const socket = this.#socket ?? (await this.#open())
    const { host, pathname, search } = this.#url
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      socket.write(
        `${method} ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
          `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${headers}\r\n${body}`,
      )
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open(): Promise<Socket> {
    const socket = connect(Number(this.#url.port), this.#url.hostname)
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    const reader = new HttpReader('response', (message) => this.#receive(message))
    socket.setNoDelay(true)
    socket.setTimeout(this.#timeoutMs, () => socket.destroy(new Error(`no answer within ${this.#timeoutMs} ms`)))
    socket.on('data', (chunk: Buffer) => reader.push(chunk))
    socket.on('error', (error) => this.#fail(socket, error))
    socket.on('close', () => {
      if (this.#socket === socket) reader.end()
      this.#fail(socket, new Error('the server closed the connection before it answered'))
    })
    this.#socket = socket
    return socket
  }

  #receive(message: HttpMessage): void {
    if (message.header('connection')?.toLowerCase() === 'close') this.close()
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve(message)
  }

  #fail(socket: Socket, error: Error): void {
    // A socket that was already replaced or closed by us fails nobody.
    if (this.#socket !== socket) return
    this.#socket = undefined
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.reject(error)
  }
}
