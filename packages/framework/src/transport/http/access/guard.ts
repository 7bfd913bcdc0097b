import { ConfigError } from '../../../protocol/errors.ts'
import type { HttpExchange } from '../exchange/exchange.ts'

export interface GuardOptions {
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  /** True when requests need a token. Pages of other sites have none, so the Host header need not be checked. */
  readonly hasAuth: boolean
}

/** Keeps out pages of other sites, which may reach this machine through a browser, by DNS rebinding or directly. */
export class Guard {
  readonly #hosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  readonly #takesAnyHost: boolean
  #lastHost: string | undefined

  constructor({ allowedHosts, allowedOrigins = [], hasAuth }: GuardOptions) {
    this.#hosts = new Set((allowedHosts ?? []).map((host) => hostnameOf(host.toLowerCase())))
    this.#origins = new Set(allowedOrigins.map(readOrigin))
    this.#takesAnyHost = this.#hosts.has('*') || (hasAuth && allowedHosts === undefined)
  }

  /** Says what is wrong with the Host header. */
  hostProblem(exchange: HttpExchange): string | undefined {
    const host = exchange.header('host')
    if (this.#takesAnyHost || (host !== undefined && host === this.#lastHost)) return undefined
    if (host === undefined) return 'The Host header is missing.'
    const name = hostnameOf(host.toLowerCase())
    if (!isLoopbackName(name) && !this.#hosts.has(name)) {
      return `The host ${JSON.stringify(name)} is not served here. Its operator can add it to allowedHosts.`
    }
    // Nearly all requests name the same one.
    this.#lastHost = host
    return undefined
  }

  /** Says what is wrong with the Origin header. Adds the CORS headers to the answer when the origin may call. */
  originProblem(exchange: HttpExchange): string | undefined {
    const origin = exchange.header('origin')
    if (origin === undefined) return undefined
    if (!this.#isAllowed(origin)) {
      return `The origin ${JSON.stringify(origin)} may not call. Its operator can add it to allowedOrigins.`
    }
    exchange.setHeader('Access-Control-Allow-Origin', origin)
    exchange.setHeader('Vary', 'Origin')
    exchange.setHeader('Access-Control-Expose-Headers', exposedHeaders)
    if (exchange.method !== 'OPTIONS') return undefined
    exchange.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
    exchange.setHeader('Access-Control-Allow-Headers', exchange.header('access-control-request-headers') ?? '*')
    exchange.setHeader('Access-Control-Max-Age', '600')
    return undefined
  }

  #isAllowed(origin: string): boolean {
    if (this.#origins.has('*') || this.#origins.has(origin)) return true
    return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)
  }
}

const exposedHeaders = 'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Last-Event-ID'

/** True for the names of this machine that no other machine can take. */
export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' ||
    name === '::1' ||
    name === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    name.endsWith('.localhost')
  )
}

function hostnameOf(host: string): string {
  if (host.startsWith('[')) return host.slice(0, host.indexOf(']') + 1)
  const colon = host.indexOf(':')
  return colon < 0 ? host : host.slice(0, colon)
}

function readOrigin(origin: string): string {
  if (origin === '*') return origin
  if (URL.canParse(origin) && new URL(origin).origin !== 'null') return new URL(origin).origin
  throw new ConfigError(
    `allowedOrigins has ${JSON.stringify(origin)}, which is no origin.`,
    "Write 'https://example.com'.",
  )
}
