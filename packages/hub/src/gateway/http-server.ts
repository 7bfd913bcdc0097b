import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import { isLoopbackName, type LoopbackGuard } from '../access/index.ts'
import type { Log } from '../platform/log.ts'
import { facadeName } from '../wire/index.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import type { Intake } from './intake.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { refuse } from './refuse.ts'
import type { ServerBook } from './server-book.ts'
import type { SseEndpoint } from './sse-endpoint.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface HttpServerParts {
  readonly guard: LoopbackGuard
  readonly intake: Intake
  readonly stream: McpEndpoint
  readonly sse: SseEndpoint
  readonly servers: Pick<ServerBook, 'offersSse'>
  /** Servers of the hub's own, by name. */
  readonly own: ReadonlyMap<string, Handler>
  /** What the facade offers, as one document. */
  manifest(origin: string): Promise<Buffer>
  readonly api: Handler
  readonly web: Handler
  readonly log: Log
  isReady(): Promise<boolean>
  /** The text of `/metrics`. */
  metrics(): string
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
    while (this.#parts.intake.exchangeCount > 0 && performance.now() < until) await sleep(20)
    this.#server.closeAllConnections()
    await closed
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request.url)
    const isApi = path.startsWith('/api/') && !path.startsWith(serversPath)
    const refusal = this.#parts.guard.check(request.headers, isApi ? this.#ownOrigin : null)
    if (refusal !== null) return sendText(response, 403, refusal)
    if (path === '/mcp') return this.#serve({ server: facadeName, way: 'stream' }, request, response)
    if (path === '/mcp/manifest.json' || path === '/.well-known/mcp/manifest.json')
      return void this.#sendManifest(request, response)
    if (path === '/healthz') return sendText(response, 200, 'ok')
    if (path === '/readyz') return void this.#ready(response)
    if (path === '/metrics') return sendText(response, 200, this.#parts.metrics().trimEnd())
    const place = placeOf(path)
    if (place !== null) return this.#serve(place, request, response)
    this.#run(isApi ? this.#parts.api : this.#parts.web, request, response)
  }

  #run(handler: Handler, request: IncomingMessage, response: ServerResponse): void {
    Promise.resolve(handler(request, response)).catch((error: unknown) => {
      this.#parts.log.error('a request failed', { path: pathOf(request.url), error })
      if (!response.headersSent) sendText(response, 500, 'Internal error')
    })
  }

  /** Brings a client to the server that it asks for. */
  #serve({ server, way }: Place, request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.origin !== undefined) crossOriginHeaders(request, response)
    const { servers, sse, stream } = this.#parts
    const offersSse = servers.offersSse(server)
    if (offersSse === undefined)
      return refuse(response, new HubError('SERVER_NOT_FOUND', `No server is named '${server}'. See: herma server`))
    const own = way === 'stream' ? this.#parts.own.get(server) : undefined
    if (own !== undefined) return this.#run(own, request, response)
    if (way === 'stream') return stream.handle(server, request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (!offersSse) {
      const text = `HTTP+SSE is off. Use Streamable HTTP at /mcp, or turn it on with: herma server ${server} --sse on`
      return refuse(response, new HubError('SERVER_NOT_FOUND', text))
    }
    if (way === 'messages') sse.post(request, response)
    else {
      const messagePath = server === facadeName ? '/messages' : `${serversPath}${server}/messages`
      sse.listen({ server, messagePath }, request, response)
    }
  }

  async #sendManifest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.origin !== undefined) crossOriginHeaders(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, notGet, { status: 405, headers: ['Allow', 'GET, HEAD'] })
    try {
      const body = await this.#parts.manifest(this.#ownOrigin)
      response.writeHead(200, [
        'Content-Type',
        'application/json',
        'Content-Length',
        String(body.length),
        'Cache-Control',
        'no-cache',
      ])
      response.end(request.method === 'HEAD' ? undefined : body)
    } catch (error) {
      refuse(response, error)
    }
  }

  async #ready(response: ServerResponse): Promise<void> {
    const isReady = await this.#parts.isReady().catch(() => false)
    sendText(response, isReady ? 200 : 503, isReady ? 'ready' : 'the store cannot be reached')
  }
}

const notGet = new HubError('INVALID_REQUEST', 'Use GET.')
const serversPath = '/api/mcp/servers/'

interface Place {
  readonly server: string
  readonly way: 'stream' | 'sse' | 'messages'
}

/** The served server that a path leads to, and by which transport. */
function placeOf(path: string): Place | null {
  if (path === '/sse') return { server: facadeName, way: 'sse' }
  if (path === '/messages') return { server: facadeName, way: 'messages' }
  const match = path.startsWith(serversPath)
    ? /^([\w-]+)\/(stream|sse|messages)$/.exec(path.slice(serversPath.length))
    : null
  return match === null ? null : { server: match[1]!, way: match[2] as Place['way'] }
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
