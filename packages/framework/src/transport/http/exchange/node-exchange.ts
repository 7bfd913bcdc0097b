import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { BufferBudget } from '../../../buffer/buffer-budget.ts'
import { ResponseWriter } from '../../../buffer/response-writer.ts'
import { pathOf, type BodyRead, type HttpExchange } from './exchange.ts'

/** What frameworks add to node's request. */
export type NodeRequest = IncomingMessage & {
  /** Given when something before has parsed the body. */
  body?: unknown
  /** Express shortens `url` to what is below the place where a handler is mounted. */
  originalUrl?: string
}

export interface NodeResponse {
  readonly response: ServerResponse
  readonly buffers: BufferBudget
}

/** Smaller answers leave at once. */
const largeBytes = 65_536
const anybody = { id: 'anybody' }

/** An exchange on node's own objects, without the cost of the web's. */
export class NodeExchange implements HttpExchange {
  readonly method: string
  readonly server: string
  readonly path: string
  readonly #request: NodeRequest
  readonly #response: ServerResponse
  readonly #buffers: BufferBudget
  #writer: ResponseWriter | undefined
  #url: URL | undefined

  constructor(server: string, request: NodeRequest, { response, buffers }: NodeResponse) {
    this.server = server
    this.#request = request
    this.#response = response
    this.#buffers = buffers
    this.method = request.method ?? 'GET'
    this.path = pathOf(request.originalUrl ?? request.url ?? '/')
  }

  get url(): URL {
    return (this.#url ??= this.#readUrl())
  }
  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }
  get isGone(): boolean {
    return this.#response.destroyed
  }
  get unreadBytes(): number {
    return this.#writer?.unread ?? this.#response.writableLength
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    if (value === undefined && name === 'host') return this.#request.headers[':authority'] as string | undefined
    return typeof value === 'object' ? value.join(', ') : value
  }

  allHeaders(): Record<string, string | string[] | undefined> {
    return this.#request.headers
  }

  async readBody(maxBytes: number): Promise<BodyRead> {
    const request = this.#request
    if (request.body !== undefined) return { value: request.body }
    // A request that has ended already emits no further event to wait for.
    if (request.readableEnded || request.readableDidRead) return { problem: 'read before' }
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { problem: 'too large' }
    return collect(request, maxBytes)
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value)
  }

  answer(status: number, headers: readonly string[], text?: string): void {
    const response = this.#response
    if (response.destroyed) return
    // The answer has begun, so it is cut off: the client must not take it for complete.
    if (response.headersSent) return this.cut()
    const length = text === undefined ? 0 : Buffer.byteLength(text)
    // A 204 has no body, and must not say how long it is.
    const all = status === 204 ? [...headers] : [...headers, 'Content-Length', String(length)]
    response.writeHead(status, all)
    if (this.method === 'HEAD') response.end()
    else if (length < largeBytes) response.end(text)
    else this.#end(text!)
  }

  #end(text: string): void {
    const writer = this.#openWriter()
    writer.write(text)
    writer.end()
  }

  /** Counts what waits for the client. Who it is is of no interest here: each response has a share of its own. */
  #openWriter(): ResponseWriter {
    const client = { response: this.#response, principal: anybody, buffers: this.#buffers }
    return (this.#writer ??= new ResponseWriter(client, null))
  }

  startStream(headers: readonly string[]): void {
    this.#response.writeHead(200, [...headers]).flushHeaders()
  }

  write(text: string): void {
    this.#openWriter().write(text)
  }

  async drained(): Promise<void> {
    await new Promise<void>((resolve) => this.#openWriter().whenRead(resolve))
  }

  end(): void {
    if (this.#writer === undefined) this.#response.end()
    else this.#writer.end()
  }

  cut(): void {
    this.#response.destroy()
  }

  onGone(listener: () => void): void {
    const response = this.#response
    if (response.destroyed) return listener()
    response.once('close', () => {
      if (!response.writableFinished) listener()
    })
  }

  #readUrl(): URL {
    const request = this.#request
    const scheme = (request.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
    const target = request.originalUrl ?? request.url ?? '/'
    const base = `${scheme}://${this.header('host') ?? 'localhost'}`
    // A target such as '//other' would otherwise be taken for another host.
    return URL.canParse(base + target) ? new URL(base + target) : new URL(`${scheme}://localhost/`)
  }
}

function collect(request: IncomingMessage, maxBytes: number): Promise<BodyRead> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) return void chunks.push(chunk)
      // The rest is read and dropped. A client that writes its whole request before it reads then sees the answer.
      chunks.length = 0
      resolve({ problem: 'too large' })
    })
    request.once('end', () => resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }))
    request.once('error', () => resolve({ problem: 'broken off' }))
    request.once('close', () => resolve({ problem: 'broken off' }))
  })
}
