import { adminScope, allScopes, scopesOfServers, type ServedResource } from './served-resource.ts'

export const authPath = '/auth'

/** Documents that clients read before they have a token. They are the same for everybody. */
export interface MetadataSource {
  readonly publicUrl: string
  readonly issuer: string
  readonly resources: readonly ServedResource[]
  readonly registration: boolean
  /** Further authorization servers whose tokens count. */
  readonly issuers: readonly string[]
  /** Whether a server asks whoever reads this for a login. Some clients begin one as soon as they find a document. */
  asksLogin(server: string | null): boolean
}

const authorizationServerPath = '/.well-known/oauth-authorization-server'
const openIdPath = '/.well-known/openid-configuration'
const resourcePath = '/.well-known/oauth-protected-resource'

/**
 * The issuer of a hub with a public URL is that URL itself, so that clients which look only at the root of the server find
 * it as well. Without one the root belongs to a facade that is open to this machine, and has to say nothing of a login.
 */
export function issuerOf(publicUrl: string, isPublic: boolean): string {
  return isPublic ? publicUrl : publicUrl + authPath
}

export function isMetadataPath(path: string): boolean {
  return (
    isUnder(path, authorizationServerPath) ||
    isUnder(path, openIdPath) ||
    isUnder(path, resourcePath) ||
    path === authPath + openIdPath
  )
}

/** The document at a path, or null. */
export function metadataAt(path: string, source: MetadataSource): Record<string, unknown> | null {
  if (!isMetadataPath(path)) return null
  // Only a document of a server that asks for a login leads there.
  if (path === authPath + openIdPath || ownPaths.has(path)) return describeIssuer(source)
  const base = [authorizationServerPath, openIdPath, resourcePath].find((each) => isUnder(path, each))!
  const resource = resourceAt(path.slice(base.length).replace(/\/$/, ''), source)
  if (resource === undefined || !source.asksLogin(resource.server)) return null
  return base === resourcePath ? describeResource(resource, source) : describeIssuer(source)
}

const ownPaths: ReadonlySet<string> = new Set([authorizationServerPath + authPath, openIdPath + authPath])

/** Clients that know no path look at the root, and mean the facade, which comes first. */
function resourceAt(suffix: string, { resources }: MetadataSource): ServedResource | undefined {
  return suffix === '' ? resources[0] : resources.find(({ url }) => new URL(url).pathname === suffix)
}

/** https://www.rfc-editor.org/rfc/rfc9728#section-3.1 */
export function resourceMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${resourcePath}${pathname === '/' ? '' : pathname}`
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`)
}

function describeIssuer({ publicUrl, issuer, registration }: MetadataSource): Record<string, unknown> {
  const endpoint = (name: string) => `${publicUrl}${authPath}/oauth2/${name}`
  const methods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']
  return {
    issuer,
    authorization_endpoint: endpoint('authorize'),
    token_endpoint: endpoint('token'),
    revocation_endpoint: endpoint('revoke'),
    ...(registration ? { registration_endpoint: endpoint('register') } : {}),
    jwks_uri: `${publicUrl}${authPath}/jwks`,
    scopes_supported: allScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA', 'RS256', 'PS256'],
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    // No ID token is issued; clients that find us by OpenID discovery refuse a document without these.
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
  }
}

function describeResource({ server, url }: ServedResource, source: MetadataSource): Record<string, unknown> {
  return {
    resource: url,
    resource_name: server === null ? 'Herma: management API' : `Herma: ${server}`,
    authorization_servers: [source.issuer, ...source.issuers],
    scopes_supported: server === null ? [adminScope] : scopesOfServers,
    bearer_methods_supported: ['header'],
  }
}
