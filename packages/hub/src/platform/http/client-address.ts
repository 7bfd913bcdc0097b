import type { HttpRequest } from '../fast-http/index.ts'

/**
 * Where a request comes from, for limits. Behind a proxy on this machine it is what that proxy says, which is the last
 * entry: those before it are whatever the client made up.
 */
export function clientAddress({ socket, headers }: Pick<HttpRequest, 'socket' | 'headers'>): string {
  const peer = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']
  const isProxied = /^(::1|(::ffff:)?127\.)/.test(peer) && typeof forwarded === 'string'
  return isProxied ? (forwarded.split(',').at(-1)?.trim() ?? peer) : peer
}
