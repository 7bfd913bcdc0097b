import { BufferBudget } from '../../buffer/buffer-budget.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Auth } from '../../auth/auth.ts'
import type { Bus, Registry } from '../../registry/registry.ts'
import type { Host } from '../../host/host.ts'
import type { EventLog, Store } from '../../store/store.ts'
import type { Running } from '../../supervise/running.ts'
import { HttpEndpoint } from './endpoint.ts'
import { FetchExchange } from './exchange/fetch-exchange.ts'
import { readHttpOptions } from './http-settings.ts'
import { listen } from './listen.ts'
import { NodeExchange } from './exchange/node-exchange.ts'

/** How a server is served over HTTP. Without `auth`, and unless `allowedHosts` has more, only loopback may be asked for. */
export interface HttpOptions {
  /** As clients ask for it, `/mcp` unless said otherwise; whole, also where a router serves it below another path. */
  readonly path?: string
  readonly auth?: Auth
  /**
   * Hosts that may be named in the Host header besides loopback, on any port, or `*`. Needed to be reached under another
   * name without `auth`; with `auth`, and unless some are given, all may.
   */
  readonly allowedHosts?: readonly string[]
  /** Origins of browsers that may call, or `*`; none unless said otherwise, besides loopback. */
  readonly allowedOrigins?: readonly string[]
  /** How connections of legacy clients are kept; false serves modern clients only. */
  readonly connections?:
    | false
    | {
        /** A connection that nobody used for so long ends; 30 minutes unless said otherwise. */
        readonly idleMs?: number
        /** The most connections at once; 10,000 unless said otherwise. The longest idle one makes room. */
        readonly max?: number
        /** Lets another process go on with a connection. */
        readonly store?: Store
        /** Lets a client resume a stream that broke. */
        readonly events?: EventLog
      }
  /** Serves the HTTP+SSE transport of 2024-11-05 too: true, or its paths. */
  readonly sse?: boolean | { readonly path?: string; readonly messages?: string }
  /** 4 MB unless said otherwise. */
  readonly maxBodyBytes?: number
  /** Answers that wait for clients which do not read; beyond 64 MB the longest silent is cut off. */
  readonly maxUnreadBytes?: number
  /** Spreads changes among processes. */
  readonly bus?: Bus
  /** Makes this process known to others while it listens. */
  readonly registry?: Registry
}

/** A server over HTTP, in the form that its surroundings want. */
export interface HttpApp {
  /** For runtimes and frameworks that speak `Request` and `Response`: Hono, Next.js, Bun, Deno. */
  fetch(request: Request): Promise<Response>
  /** For node's server, Express and Fastify. `body` is given when something before has parsed it. */
  node(request: IncomingMessage & { body?: unknown }, response: ServerResponse): Promise<void>
  /** A server of its own, on loopback unless a host is given. */
  listen(port?: number, host?: string): Promise<Running & { readonly url: URL }>
  /** Ends all connections and streams. For apps that are served by others: `listen` does it when it stops. */
  close(): Promise<void>
}

/** Serves both eras over HTTP on one URL. Nothing is opened before the first exchange, or `listen`. */
export function httpApp(host: Host, options: HttpOptions = {}): HttpApp {
  const settings = readHttpOptions(options)
  const endpoint = new HttpEndpoint(host, settings)
  const { maxUnreadBytes } = settings
  const buffers = new BufferBudget({
    limits: { client: maxUnreadBytes, principal: maxUnreadBytes, hub: maxUnreadBytes },
  })
  const handle: HttpApp['node'] = (request, response) =>
    endpoint.handle(new NodeExchange(host.info.name, request, { response, buffers }))
  return {
    async fetch(request) {
      const exchange = new FetchExchange(host.info.name, request)
      void endpoint.handle(exchange)
      return exchange.response
    },
    node: handle,
    listen: (port = 0, address = '127.0.0.1') => listen({ host, endpoint, settings, handle }, port, address),
    close: () => endpoint.close(),
  }
}
