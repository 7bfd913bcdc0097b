import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Keeps web pages of other sites away from a server on this machine (DNS rebinding and cross-site requests): the Host
 * must be a loopback name, and so must the Origin of a browser.
 */
export class LoopbackGuard {
  // Headers repeat from request to request, so a verdict is looked up, not worked out again.
  readonly #hosts = new Map<string, boolean>()
  readonly #origins = new Map<string, boolean>()

  /** Says why a request is refused, or null. `ownOrigin` is set for what only our own pages may use. */
  check(headers: IncomingHttpHeaders, ownOrigin: string | null = null): string | null {
    const { host, origin } = headers
    if (host === undefined || !remembered(this.#hosts, host, isLoopbackHost)) {
      return `The Host header ${JSON.stringify(host ?? '')} does not name this machine.`
    }
    if (origin === undefined) return null
    const isAllowed =
      ownOrigin === null ? remembered(this.#origins, origin, isLoopbackOrigin) : isSameOrigin(origin, ownOrigin, host)
    return isAllowed ? null : `Requests from the origin ${JSON.stringify(origin)} are not allowed.`
  }
}

export function isLoopbackName(host: string): boolean {
  return loopbackNames.has(host) || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function isLoopbackHost(host: string): boolean {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:]+)(?::\d{1,5})?$/.exec(host)
  return match !== null && isLoopbackName(match[1]!.toLowerCase())
}

function isLoopbackOrigin(origin: string): boolean {
  const match = /^https?:\/\/(.+)$/.exec(origin)
  return match !== null && isLoopbackHost(match[1]!)
}

function isSameOrigin(origin: string, ownOrigin: string, host: string): boolean {
  return origin === ownOrigin || origin === `http://${host}`
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
