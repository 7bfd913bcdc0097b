import type { AuthAnswer, AuthRequest } from '../auth.ts'

export interface ResourceDescription {
  readonly resource: string
  readonly issuers: readonly string[]
  readonly scopesSupported?: readonly string[]
  readonly resourceName?: string
  readonly documentationUrl?: string
}

const wellKnown = '/.well-known/oauth-protected-resource'

/** Where the metadata of a resource is: https://www.rfc-editor.org/rfc/rfc9728#section-3.1 */
export function resourceMetadataUrl(resource: string): URL {
  const { origin, pathname, search } = new URL(resource)
  return new URL(`${wellKnown}${pathname === '/' ? '' : pathname}${search}`, origin)
}

/** Serves the metadata at the address of the resource and at the root, where clients look next. */
export function openResourceMetadata(
  description: ResourceDescription,
): (request: AuthRequest) => AuthAnswer | undefined {
  const paths = new Set([resourceMetadataUrl(description.resource).pathname, wellKnown])
  const body = JSON.stringify({
    resource: description.resource,
    authorization_servers: description.issuers,
    bearer_methods_supported: ['header'],
    scopes_supported: description.scopesSupported,
    resource_name: description.resourceName,
    resource_documentation: description.documentationUrl,
  })
  return ({ url, method }) => {
    if (!paths.has(url.pathname)) return undefined
    if (method === 'GET') return { status: 200, headers: documentHeaders, body }
    if (method === 'HEAD') return { status: 200, headers: documentHeaders }
    if (method === 'OPTIONS') return { status: 204, headers: preflightHeaders }
    return { status: 405, headers: { ...anyOrigin, allow: methods } }
  }
}

const methods = 'GET, HEAD, OPTIONS'

// Clients in browsers come from any origin, and the document is the same for all of them.
const anyOrigin = { 'access-control-allow-origin': '*' }

const documentHeaders = { ...anyOrigin, 'content-type': 'application/json', 'cache-control': 'public, max-age=300' }

const preflightHeaders = {
  ...anyOrigin,
  'access-control-allow-methods': methods,
  // MCP clients send their protocol version along.
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
}
