import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { FastConnection, type FastHandler } from './fast-connection.ts'

export interface FastListenerOptions {
  readonly handler: FastHandler
  /** How long a connection may wait for its next request. */
  readonly keepAliveMs: number
  /** A socket that nothing passes for so long is closed. */
  readonly silenceMs: number
}

/** What is not whole after so long is left to node:http, which has a deadline for it. */
const patienceMs = 2000
const lookEveryMs = 1000

/**
 * Stands in front of node:http: every connection comes here first. Ordinary requests are read at the socket, which costs
 * less than half; the first that is not ordinary takes its connection, with what was read, to node:http for good.
 */
export class FastListener {
  readonly #options: FastListenerOptions
  readonly #connections = new Set<FastConnection>()
  #timer: NodeJS.Timeout | null = null
  #isClosing = false
  #dateSecond = 0
  #keptAlive = ''
  #closing = ''

  /** Takes the connections of the server, which must have no other listener for them that reads. */
  constructor(server: Server, options: FastListenerOptions) {
    this.#options = options
    const toNode = server.listeners('connection')
    server.removeAllListeners('connection')
    const passOn = (socket: Socket) => {
      for (const listener of toNode) listener.call(server, socket)
    }
    const owner = {
      handler: options.handler,
      closingHeaders: (isKeptAlive: boolean) => this.#closingHeaders(isKeptAlive),
      passOn,
      onGone: (connection: FastConnection) => void this.#connections.delete(connection),
    }
    server.on('connection', (socket: Socket) => {
      if (this.#isClosing) return passOn(socket)
      socket.setTimeout(options.silenceMs)
      this.#connections.add(new FastConnection(socket, owner))
      this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref()
    })
  }

  /** Connections that node:http has not got. */
  get size(): number {
    return this.#connections.size
  }

  /** Closes what waits for a next request. What runs is answered, and its connection closed then. */
  close(): void {
    this.#isClosing = true
    for (const connection of this.#connections) connection.closeWhenIdle()
  }

  closeAll(): void {
    for (const connection of this.#connections) connection.destroy()
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    const now = performance.now()
    for (const connection of this.#connections)
      connection.look(now, { idleMs: this.#options.keepAliveMs, partMs: patienceMs })
    if (this.#connections.size > 0) return
    clearInterval(this.#timer!)
    this.#timer = null
  }

  /** As node:http writes them; the text is made once a second. */
  #closingHeaders(isKeptAlive: boolean): string {
    const second = Math.floor(Date.now() / 1000)
    if (second !== this.#dateSecond) {
      this.#dateSecond = second
      const date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`
      const seconds = Math.floor(this.#options.keepAliveMs / 1000)
      this.#keptAlive = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`
      this.#closing = `${date}Connection: close\r\n`
    }
    return isKeptAlive && !this.#isClosing ? this.#keptAlive : this.#closing
  }
}
