/** The served server with the whole curated catalog, at `/mcp`. */
export const facadeName = 'facade'

const sessionPrefix = 'session:'

/** The name under which a session is served: in rules, keys, events and `herma stdio --server`. */
export function sessionServer(session: string): string {
  return sessionPrefix + session
}

/** The session that is served under this name; null for any other server. */
export function sessionOf(server: string): string | null {
  return server.startsWith(sessionPrefix) ? server.slice(sessionPrefix.length) : null
}

/** Where clients find a served server. */
export function pathOfServer(server: string, way: 'stream' | 'sse' | 'messages' | 'rpc' | 'health'): string {
  if (server === facadeName && way !== 'rpc' && way !== 'health') return way === 'stream' ? '/mcp' : `/${way}`
  const session = sessionOf(server)
  return session === null ? `/api/mcp/servers/${server}/${way}` : `/api/mcp/sessions/${session}/${way}`
}
