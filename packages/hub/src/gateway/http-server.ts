import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import { isLoopbackName, type LoopbackGuard } from '../access/index.ts'
import type { Log } from '../platform/log.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface HttpServerParts {
  readonly guard: LoopbackGuard
  readonly endpoint: McpEndpoint
  readonly api: Handler
  readonly web: Handler
  readonly log: Log
  isReady(): Promise<boolean>
}

/** The hub's only listener. */
export class HttpServer {
  readonly #parts: HttpServerParts
  readonly #server: Server
  #ownOrigin = ''

  constructor(parts: HttpServerParts) {
    this.#parts = parts
    this.#server = createServer(
      { keepAliveTimeout: 65_000, headersTimeout: 66_000, requestTimeout: 300_000 },
      (request, response) => this.#handle(request, response),
    )
    // Streams show a sign of life every 15 s, so a silent socket is one that nobody reads any more.
    this.#server.timeout = 120_000
    // A client that resets its connection in the middle of a request is no event.
    this.#server.on('clientError', (_, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    })
  }

  /** Listens and returns the address as a URL. */
  async start(host: string, port: number): Promise<string> {
    if (!isLoopbackName(host)) {
      throw new HubError(
        'FORBIDDEN',
        `Herma does not listen on ${host} yet: beyond this machine it needs authentication. Use 127.0.0.1.`,
      )
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    this.#server.on('error', (error) => this.#parts.log.error('the listener failed', { error }))
    const address = this.#server.address() as AddressInfo
    this.#ownOrigin = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
    return this.#ownOrigin
  }

  /** Takes no new requests, waits for the calls under way, and closes what is left after the grace. */
  async stop(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    const until = performance.now() + graceMs
    while (this.#parts.endpoint.exchangeCount > 0 && performance.now() < until) await sleep(20)
    this.#server.closeAllConnections()
    await closed
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request.url)
    const isApi = path.startsWith('/api/')
    const refusal = this.#parts.guard.check(request.headers, isApi ? this.#ownOrigin : null)
    if (refusal !== null) return sendText(response, 403, refusal)
    if (path === '/mcp') {
      if (request.headers.origin !== undefined) crossOriginHeaders(request, response)
      return this.#parts.endpoint.handle(request, response)
    }
    if (path === '/healthz') return sendText(response, 200, 'ok')
    if (path === '/readyz') return void this.#ready(response)
    const handler = isApi ? this.#parts.api : this.#parts.web
    Promise.resolve(handler(request, response)).catch((error: unknown) => {
      this.#parts.log.error('a request failed', { path, error })
      if (!response.headersSent) sendText(response, 500, 'Internal error')
    })
  }

  async #ready(response: ServerResponse): Promise<void> {
    const isReady = await this.#parts.isReady().catch(() => false)
    sendText(response, isReady ? 200 : 503, isReady ? 'ready' : 'the store cannot be reached')
  }
}

function pathOf(url: string | undefined): string {
  if (url === undefined) return '/'
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'])
    .end(`${text}\n`)
}
