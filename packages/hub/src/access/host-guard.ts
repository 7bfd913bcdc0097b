import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Names beyond this machine under which the hub answers. */
export interface HostRules {
  /** Origin of the public URL, when there is one. */
  readonly publicOrigin: string | null
  /** Hosts, with or without a port. */
  readonly hosts: readonly string[]
  /** Web pages of others that may use MCP servers; those of other ports of this machine are others too. */
  readonly origins: readonly string[]
}

/** Where a request arrived. */
interface Arrived {
  readonly localAddress?: string | undefined
}

const nowhere: Arrived = {}

/**
 * Keeps web pages of other sites away (DNS rebinding and cross-site requests): the Host must be a name of the hub, and
 * the Origin of a browser must be allowed.
 */
export class HostGuard {
  // Headers repeat from request to request, so a verdict is looked up, not worked out again.
  readonly #hosts = new Map<string, boolean>()
  readonly #origins = new Map<string, boolean>()
  #rules: HostRules = { publicOrigin: null, hosts: [], origins: [] }

  configure(rules: HostRules): void {
    this.#rules = rules
    this.#hosts.clear()
    this.#origins.clear()
  }

  /**
   * Says why a request is refused, or null. `ownOrigin` is set for what only our own pages may use; the address where
   * the request arrived is a name of the hub too.
   */
  check(headers: IncomingHttpHeaders, ownOrigin: string | null = null, socket: Arrived = nowhere): string | null {
    const { host, origin } = headers
    if (host === undefined || !this.#isOwnHost(host, socket)) {
      return `The Host header ${JSON.stringify(host ?? '')} does not name this hub. Allow it with: herma access --host NAME`
    }
    if (origin === undefined || isSameOrigin(origin, [ownOrigin, this.#rules.publicOrigin], host)) return null
    const refusal = `Requests from the origin ${JSON.stringify(origin)} are not allowed.`
    if (ownOrigin !== null) return refusal
    // Pages on this machine too: whoever opens one did not mean to lend it the tools of this hub.
    if (remembered(this.#origins, origin, (each) => this.#rules.origins.includes(each))) return null
    return isPlainOrigin.test(origin) ? `${refusal} If you trust its pages: herma access --origin ${origin}` : refusal
  }

  // A rebound name is never an address, so whoever writes the address itself means this hub.
  #isOwnHost(host: string, socket: Arrived): boolean {
    return remembered(this.#hosts, host, (each) => this.#isKnownHost(each)) || isAddress(host, socket.localAddress)
  }

  #isKnownHost(host: string): boolean {
    if (isLoopbackHost(host)) return true
    const name = host.toLowerCase()
    const { publicOrigin, hosts } = this.#rules
    const bare = name.replace(/:\d{1,5}$/, '')
    if (publicOrigin !== null && [new URL(publicOrigin).host, new URL(publicOrigin).hostname].includes(name))
      return true
    return hosts.some((each) => each.toLowerCase() === name || each.toLowerCase() === bare)
  }
}

/** One that can be named in a command as it stands. */
const isPlainOrigin = /^https?:\/\/(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/i

export function isLoopbackName(host: string): boolean {
  return loopbackNames.has(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Whether a Host header, with or without a port, is a name of this machine for itself. */
export function isLoopbackHost(host: string): boolean {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]+)(?::\d{1,5})?$/.exec(host)
  return match !== null && isLoopbackName(match[1]!.toLowerCase())
}

function isSameOrigin(origin: string, own: readonly (string | null)[], host: string): boolean {
  return own.includes(origin) || origin === `http://${host}`
}

function isAddress(host: string, address: string | undefined): boolean {
  if (address === undefined) return false
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '')
  const name = plain.includes(':') ? `[${plain}]` : plain
  return host === name || (host.startsWith(`${name}:`) && /^\d{1,5}$/.test(host.slice(name.length + 1)))
}

/** The maps stay small whatever a client sends. */
function remembered(known: Map<string, boolean>, key: string, work: (key: string) => boolean): boolean {
  let verdict = known.get(key)
  if (verdict === undefined) {
    verdict = work(key)
    if (known.size < 1000) known.set(key, verdict)
  }
  return verdict
}
