/** A URL for which access tokens are issued. A server may have several, one for each transport. */
export interface ServedResource {
  /** Name of the served server; null = the management API. */
  readonly server: string | null
  readonly url: string
  /** Whoever uses it manages the hub. */
  readonly isManagement?: boolean
}

/** What a client may be allowed. The management API has its own scope, so that no MCP client gets it by accident. */
export const scopesOfServers = ['mcp', 'mcp:read'] as const
export const adminScope = 'admin'
/** Asks for a refresh token. */
export const offlineScope = 'offline_access'
export const allScopes = [...scopesOfServers, adminScope, offlineScope]

/** The URLs of one server. Tokens for one of them are good for the others. */
export function urlsOf(server: string | null, resources: readonly ServedResource[]): string[] {
  return resources.flatMap((resource) => (resource.server === server ? [resource.url] : []))
}

/** Names of the servers behind URLs; the management API has none. */
export function serversOf(urls: readonly string[], resources: readonly ServedResource[]): string[] {
  const names = resources.flatMap(({ server, url }) => (server !== null && urls.includes(url) ? [server] : []))
  return [...new Set(names)]
}
