import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { HubError, type Principal, type ServerHealth } from '@herma/contract'
import type { AddressLimiter, Admission, Entrance } from '../../access/index.ts'
import type { BufferBudget, ResponseStream } from '@herma/framework/wire'
import { FastListener, type FastRequest, type FastResponse, type HttpRequest } from '../../platform/fast-http/index.ts'
import { clientAddress } from '../../platform/http/index.ts'
import type { Log } from '../../platform/log.ts'
import { facadeName, pathOfServer, sessionServer } from '../../wire/index.ts'
import { crossOriginHeaders } from './cross-origin.ts'
import type { RequestReceiver } from '../call/request-receiver.ts'
import { allowedMethods, type McpEndpoint, type NodeRequest, type ServerRequest } from './mcp-endpoint.ts'
import type { OpenAiEndpoint } from '../openai/openai-endpoint.ts'
import { refuseCompressed } from './decompress.ts'
import { limitSockets, type SocketLimit } from './limit-sockets.ts'
import { refuse } from './refuse.ts'
import { toOriginForm } from './request-target.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import type { Servers } from '../server/servers.ts'
import type { SseEndpoint } from './sse-endpoint.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** Who lets people in; `access` fills it. */
export interface Gatekeeper {
  /** Says why the Host or Origin is refused, or null. */
  checkHost(request: HttpRequest, ownOrigin: string | null): string | null
  admit(request: HttpRequest, entrance: Entrance): Admission | Promise<Admission>
  /** Whether a request truly comes from this machine. */
  isLocal(request: HttpRequest): boolean
  /** Pages and documents for signing in. */
  handles(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse): void | Promise<void>
}

export interface HttpServerOptions {
  readonly gatekeeper: Gatekeeper
  readonly addresses: Pick<AddressLimiter, 'hold'>
  readonly receiver: RequestReceiver
  readonly stream: McpEndpoint
  readonly sse: SseEndpoint
  readonly rpc: RpcEndpoint
  readonly openai: OpenAiEndpoint
  readonly servers: Pick<Servers, 'offersSse' | 'entranceOf' | 'refusalOf'>
  /** How a served server is. */
  health(server: string): ServerHealth
  /** Servers of the hub's own, by name. */
  readonly own: ReadonlyMap<string, OwnServerHandler>
  /** What the facade offers, as one document. */
  manifest(origin: string): Promise<Buffer>
  readonly api: Handler
  readonly web: Handler
  readonly log: Log
  /** Counts what waits in memory. */
  readonly buffers: BufferBudget
  /** Why the hub cannot do its work, in one sentence; null = it can. */
  whyNotReady(): Promise<string | null>
  /** The text of `/metrics`. */
  metrics(): string
  /** Whether ordinary requests are read at the socket, or all of them by node:http. */
  readonly isHttpFast: boolean
}

const keepAliveMs = 65_000
/** Streams show a sign of life every 15 s, so a silent socket is one that nobody reads any more. */
const silenceMs = 120_000

export type OwnServerHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal,
) => Promise<void>

/** The hub's only listener. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #fast: FastListener | null
  readonly #sockets: SocketLimit
  #ownOrigin = ''
  #isDraining = false
  #graceEndsAt = Number.POSITIVE_INFINITY

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#server = createServer(
      // A body that comes slowly holds memory, so that the whole request has a deadline. Of two Host or Authorization headers a proxy may have looked at the other one, so that they are joined, and
      // then are none.
      {
        keepAliveTimeout: keepAliveMs,
        headersTimeout: keepAliveMs + 1000,
        requestTimeout: 120_000,
        joinDuplicateHeaders: true,
      },
      (request, response) => this.#handle(request, response),
    )
    this.#server.timeout = silenceMs
    // A client that resets its connection in the middle of a request is no event.
    this.#server.on('clientError', (_, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    })
    const handler = {
      takes: (path: string) => this.#isForStream(path),
      handle: (request: FastRequest, response: FastResponse) => this.#handleFast(request, response),
    }
    this.#fast = options.isHttpFast ? new FastListener(this.#server, { handler, keepAliveMs, silenceMs }) : null
    this.#sockets = limitSockets(this.#server, options.addresses)
  }

  /** Listens and returns the address as a URL. */
  async start(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    this.#server.on('error', (error) => this.#options.log.error('the listener failed', { error }))
    const address = this.#server.address() as AddressInfo
    // Who listens everywhere is found on this machine too, and there is no other name for everywhere.
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
    this.#ownOrigin = `http://${name.includes(':') ? `[${name}]` : name}:${address.port}`
    return this.#ownOrigin
  }

  /** Calls under way. */
  get running(): number {
    return this.#options.receiver.exchangeCount + this.#options.openai.running
  }

  /** How long calls under way are waited for at most, from now on. */
  limitGrace(graceMs: number): void {
    this.#graceEndsAt = Math.min(this.#graceEndsAt, performance.now() + graceMs)
  }

  /**
   * Waits for the calls under way, and closes what is left after the grace. Until then the listener stays, so that who
   * comes is told to try again, and clients can answer the questions of calls under way.
   */
  async stop(onDrain?: (running: number) => void): Promise<void> {
    this.#isDraining = true
    let told = 0
    for (let { running } = this; running > 0 && performance.now() < this.#graceEndsAt; { running } = this) {
      if (running !== told) onDrain?.(running)
      told = running
      await sleep(20)
    }
    if (told > 0) onDrain?.(this.running)
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#fast?.close()
    // The last answers leave before their sockets are closed.
    const flushUntil = performance.now() + (this.running === 0 ? flushMs : 0)
    while ((await this.#countSockets()) > 0 && performance.now() < flushUntil) await sleep(5)
    this.#server.closeAllConnections()
    this.#fast?.closeAll()
    this.#sockets.closeAll()
    await closed
  }

  #countSockets(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_, count) => resolve(count)))
  }

  #isForStream(path: string): boolean {
    const place = placeOf(path)
    return place?.way === 'stream' && !this.#options.own.has(place.server)
  }

  /** What `#handle` does for a served server, without what an ordinary request cannot be. */
  #handleFast(request: FastRequest, response: FastResponse): void {
    const { gatekeeper, servers, buffers } = this.#options
    const refusal = gatekeeper.checkHost(request, null)
    if (refusal !== null) return sendText(response, 403, refusal)
    if (this.#isDraining) response.shouldKeepAlive = false
    if (!this.#hold(request, response)) return
    const { server } = placeOf(request.url)!
    const entrance = servers.entranceOf(server)
    if (entrance === undefined) return refuse(response, noServer(server))
    this.#admit(entrance, { request, response }, (principal) =>
      this.#serveStream({ server, principal, isLocal: gatekeeper.isLocal(request), request, response, buffers }),
    )
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const problem = toOriginForm(request)
    if (problem !== null) return sendText(response, 400, problem)
    const path = pathOf(request.url)
    const { gatekeeper, servers } = this.#options
    const isApi = path.startsWith('/api/') && !path.startsWith('/api/mcp/')
    const refusal = gatekeeper.checkHost(request, isApi ? this.#ownOrigin : null)
    if (refusal !== null) return sendText(response, 403, refusal)
    if (!this.#hold(request, response)) return
    const place = placeOf(path)
    if (this.#isDraining) {
      response.shouldKeepAlive = false
      if (!isServedToTheEnd(path, place, this.#options.own)) {
        request.resume()
        return refuse(response, new HubError('HUB_STOPPING', 'The hub is stopping. Try again in a moment.'))
      }
    }
    if (place !== null) return this.#enter(place, request, response)
    if (path.startsWith('/v1/')) return this.#options.openai.handle(request, response, path)
    if (path === '/healthz') return sendText(response, 200, 'ok')
    if (path === '/readyz') return void this.#ready(response)
    if (manifestPaths.has(path))
      return this.#admit(servers.entranceOf(facadeName)!, { request, response }, () =>
        this.#sendManifest(request, response),
      )
    if (path === '/metrics')
      return this.#admit(figures, { request, response }, () =>
        sendText(response, 200, this.#options.metrics().trimEnd()),
      )
    if (gatekeeper.handles(path)) return this.#run((...visit) => gatekeeper.handle(...visit), request, response)
    this.#run(isApi ? this.#options.api : this.#options.web, request, response)
  }

  /** Behind a proxy of this machine all sockets are the proxy's, so that requests count for the address it names. */
  #hold(request: HttpRequest, response: ResponseStream): boolean {
    if (request.headers['x-forwarded-for'] === undefined) return true
    const address = clientAddress(request)
    if (address === request.socket.remoteAddress) return true
    const permit = this.#options.addresses.hold('requests', address)
    if ('refused' in permit) {
      request.resume()
      refuse(response, permit.refused)
      return false
    }
    response.once('close', () => permit.release())
    return true
  }

  /** Brings a client to the server that it asks for, when it may use it. */
  #enter(place: Place, request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.origin !== undefined) crossOriginHeaders(request, response)
    const { server } = place
    const { gatekeeper, servers, buffers } = this.#options
    const entrance = servers.entranceOf(server)
    // A browser asks what it may send before it sends a key.
    if (request.method === 'OPTIONS') return void response.writeHead(204, ['Allow', allowedMethods]).end()
    if (entrance === undefined) return refuse(response, noServer(server))
    if (place.way === 'health')
      return this.#admit(figures, { request, response }, () => this.#sendHealth(server, request, response))
    this.#admit(entrance, { request, response }, (principal) =>
      this.#serve(place, { server, principal, isLocal: gatekeeper.isLocal(request), request, response, buffers }),
    )
  }

  /** Nothing is awaited, and nothing made, for a client that is known. */
  #admit(
    entrance: Entrance,
    { request, response }: Pick<ServerRequest, 'request' | 'response'>,
    serve: (principal: Principal) => unknown,
  ): void {
    const settle = (admission: Admission) => {
      if (!('refused' in admission)) return serve(admission)
      request.resume()
      const { refused, challenge } = admission
      refuse(response, refused, challenge === undefined ? {} : { headers: ['WWW-Authenticate', challenge] })
    }
    const admission = this.#options.gatekeeper.admit(request, entrance)
    if (!(admission instanceof Promise)) return void settle(admission)
    admission.then(settle).catch((error: unknown) => {
      this.#options.log.error('who is asking could not be found out', { error })
      refuse(response, error)
    })
  }

  #run(handler: Handler, request: IncomingMessage, response: ServerResponse): void {
    Promise.resolve(handler(request, response)).catch((error: unknown) => {
      this.#options.log.error('a request failed', { path: pathOf(request.url), error })
      if (!response.headersSent) sendText(response, 500, 'Internal error')
    })
  }

  #serveStream(visit: ServerRequest): void {
    const refusal = this.#options.servers.refusalOf(visit.server)
    if (refusal === null) return this.#options.stream.handle(visit)
    visit.request.resume()
    refuse(visit.response, refusal)
  }

  #serve({ way }: Place, visit: NodeRequest): void {
    const { server, principal, request, response } = visit
    const { sse, stream, rpc, servers } = this.#options
    const refusal = servers.refusalOf(server)
    if (refusal !== null) {
      request.resume()
      return refuse(response, refusal)
    }
    const own = this.#options.own.get(server)
    if (own !== undefined && way === 'stream') return this.#serveOwn((...both) => own(...both, principal), visit)
    if (way === 'stream') return stream.handle(visit)
    if (way === 'rpc' && own === undefined) return rpc.handle(visit)
    if (way === 'rpc') {
      request.resume()
      return refuse(response, new HubError('SERVER_NOT_FOUND', `Use ${pathOfServer(server, 'stream')} instead.`))
    }
    if (servers.offersSse(server) !== true) {
      const text = `HTTP+SSE is off. Use Streamable HTTP at /mcp, or turn it on with: herma server ${server} --sse on`
      return refuse(response, new HubError('SERVER_NOT_FOUND', text))
    }
    if (way === 'messages') sse.post(visit)
    else sse.listen(visit, pathOfServer(server, 'messages'))
  }

  #serveOwn(own: Handler, { server, request, response }: NodeRequest): void {
    const refusal = refuseCompressed(request.headers['content-encoding'])
    if (refusal !== null) {
      request.resume()
      return refuse(response, refusal)
    }
    // It knows itself by this path alone.
    request.url = pathOfServer(server, 'stream') + request.url!.slice(pathOf(request.url).length)
    this.#run(own, request, response)
  }

  async #sendManifest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.origin !== undefined) crossOriginHeaders(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, notGet, { status: 405, headers: ['Allow', 'GET, HEAD'] })
    try {
      const body = await this.#options.manifest(this.#ownOrigin)
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

  #sendHealth(server: string, request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, notGet, { status: 405, headers: ['Allow', 'GET, HEAD'] })
    const health = this.#options.health(server)
    const body = JSON.stringify(health)
    const headers = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))]
    const isWell = health.state === 'ready' || health.state === 'starting'
    response.writeHead(isWell ? 200 : 503, [...headers, 'Cache-Control', 'no-store'])
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  async #ready(response: ServerResponse): Promise<void> {
    const problem = await this.#options.whyNotReady().catch(() => 'The store cannot be reached.')
    sendText(response, problem === null ? 200 : 503, problem ?? 'ready')
  }
}

const notGet = new HubError('INVALID_REQUEST', 'Use GET.')
const manifestPaths: ReadonlySet<string> = new Set(['/mcp/manifest.json', '/.well-known/mcp/manifest.json'])
/** Figures hold names of servers and connectors, so that only who is on this machine or known may read them. */
const figures: Entrance = {
  server: null,
  opens: 'locally',
  keyHeader: 'authorization',
  takesCookies: 'proven',
  scopes: [],
}

function noServer(name: string): HubError {
  return new HubError('SERVER_NOT_FOUND', `No server is named '${name}'. See: herma server`)
}

interface Place {
  readonly server: string
  readonly way: 'stream' | 'sse' | 'messages' | 'rpc' | 'health'
}

/** How long the last bytes of answers may take to leave. */
const flushMs = 1000

/** Calls under way may need messages of their clients, and people want to know how far it is. */
function isServedToTheEnd(path: string, place: Place | null, own: ReadonlyMap<string, OwnServerHandler>): boolean {
  if (place !== null) return (place.way === 'stream' || place.way === 'messages') && !own.has(place.server)
  return path === '/healthz' || path === '/api/status' || path === '/api/stop'
}

const facadeStream: Place = { server: facadeName, way: 'stream' }

/** The served server that a path leads to, and by which transport. A slash at its end makes no other place. */
function placeOf(path: string): Place | null {
  if (path === '/mcp' || path === '/mcp/') return facadeStream
  if (path === '/sse' || path === '/sse/') return { server: facadeName, way: 'sse' }
  if (path === '/messages' || path === '/messages/') return { server: facadeName, way: 'messages' }
  if (!path.startsWith('/api/mcp/')) return null
  const match = /^(servers|sessions)\/([\w-]+)\/(stream|sse|messages|rpc|health)\/?$/.exec(
    path.slice('/api/mcp/'.length),
  )
  if (match === null) return null
  const [, kind, name, way] = match as unknown as [string, string, string, Place['way']]
  return { server: kind === 'sessions' ? sessionServer(name) : name, way }
}

function pathOf(url: string | undefined): string {
  if (url === undefined) return '/'
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

function sendText(response: ResponseStream, status: number, text: string): void {
  response
    .writeHead(status, ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'])
    .end(`${text}\n`)
}
