import type { buildConnector } from 'undici'
import { FastClientSocket, type OutgoingRequest, type ResponseHandler } from './fast-client-socket.ts'

export interface FastPoolOptions {
  /** As undici's pools connect. */
  readonly connect: buildConnector.connector
  readonly connections: number
}

/** How long an idle connection is kept unless the server says something else, and how much earlier than it says. */
const keptMs = 4000
const earlierMs = 1000
const maxKeptMs = 600_000
const lookEveryMs = 1000
/** Of a connection that rested for longer it is heard first whether the server has closed it meanwhile. */
const restedMs = 500

/** Keep-alive connections to one origin over plain HTTP, one request at a time on each. */
export class FastPool {
  readonly #url: URL
  readonly #options: FastPoolOptions
  readonly #sockets = new Set<FastClientSocket>()
  /** The one that was used last is used next, so that the others can rest and be closed. */
  readonly #idle: FastClientSocket[] = []
  readonly #queue: { request: OutgoingRequest; handler: ResponseHandler }[] = []
  #connecting = 0
  #timer: NodeJS.Timeout | null = null
  #isDestroyed = false
  /** The last headers and what was made of them: those of most calls are the very same. */
  #last: Pick<OutgoingRequest, 'path' | 'headers'> & { readonly head: string } = { path: '', headers: [], head: '' }

  constructor(url: URL, options: FastPoolOptions) {
    this.#url = url
    this.#options = options
  }

  dispatch(request: OutgoingRequest, handler: ResponseHandler): void {
    if (this.#isDestroyed) return handler.onError(new Error('the pool of connections is closed'))
    const socket = this.#takeIdle()
    if (socket !== undefined) return this.#send(socket, request, handler)
    this.#queue.push({ request, handler })
    if (this.#sockets.size + this.#connecting < this.#options.connections) this.#connect()
  }

  destroy(): void {
    this.#isDestroyed = true
    if (this.#timer !== null) clearInterval(this.#timer)
    for (const socket of this.#sockets) socket.destroy(new Error('the connection was closed here'))
    for (const { handler } of this.#queue.splice(0)) handler.onError(new Error('the pool of connections is closed'))
  }

  #send(socket: FastClientSocket, request: OutgoingRequest, handler: ResponseHandler): void {
    if (performance.now() - socket.freedAt < restedMs) return socket.send(request, handler)
    setImmediate(() => {
      if (socket.isUsable) socket.send(request, handler)
      else this.dispatch(request, handler)
    })
  }

  #headOf({ path, headers }: OutgoingRequest): string {
    if (this.#last.headers === headers && this.#last.path === path) return this.#last.head
    let head = `POST ${path} HTTP/1.1\r\nhost: ${this.#url.host}\r\nconnection: keep-alive\r\n`
    for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`
    this.#last = { path, headers, head }
    return head
  }

  #takeIdle(): FastClientSocket | undefined {
    const now = performance.now()
    for (let socket = this.#idle.pop(); socket !== undefined; socket = this.#idle.pop()) {
      if (socket.isUsable && now < socket.keptUntil) return socket
      socket.destroy()
    }
    return undefined
  }

  #connect(): void {
    const { hostname, protocol, port, host } = this.#url
    this.#connecting++
    this.#options.connect({ hostname, host, protocol, port: port === '' ? '80' : port }, (error, socket) => {
      this.#connecting--
      if (error !== null) return this.#queue.shift()?.handler.onError(error)
      if (this.#isDestroyed) return void socket.destroy()
      const client = new FastClientSocket(socket, {
        origin: this.#url.origin,
        headOf: (request) => this.#headOf(request),
        freed: (freed, said) => this.#free(freed, said),
        gone: (gone) => this.#gone(gone),
      })
      this.#sockets.add(client)
      this.#free(client, null)
    })
  }

  #free(socket: FastClientSocket, saidMs: number | null): void {
    if (this.#isDestroyed) return socket.destroy()
    const next = this.#queue.shift()
    if (next !== undefined) return socket.send(next.request, next.handler)
    const stayMs = saidMs === null ? keptMs : Math.min(saidMs - earlierMs, maxKeptMs)
    if (stayMs <= 0) return socket.destroy()
    socket.freedAt = performance.now()
    socket.keptUntil = socket.freedAt + stayMs
    this.#idle.push(socket)
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref()
  }

  #gone(socket: FastClientSocket): void {
    this.#sockets.delete(socket)
    const index = this.#idle.indexOf(socket)
    if (index >= 0) this.#idle.splice(index, 1)
    if (this.#queue.length > this.#connecting && !this.#isDestroyed) this.#connect()
  }

  #look(): void {
    const now = performance.now()
    // Those that rested longest come first; each takes itself out of the list.
    while (this.#idle.length > 0 && now >= this.#idle[0]!.keptUntil) this.#idle[0]!.destroy()
    if (this.#idle.length > 0) return
    clearInterval(this.#timer!)
    this.#timer = null
  }
}
