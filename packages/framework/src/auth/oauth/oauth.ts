import { TokenRefused } from '../auth-failure.ts'
import type { Auth, Principal } from '../auth.ts'
import { authenticateBearer, challengeForScopes, type BearerCheck } from '../authenticate-bearer.ts'
import { principalOf } from './claims.ts'
import { openIntrospection } from './introspect.ts'
import { openIssuer } from './issuer.ts'
import { readOAuthOptions, type OAuthOptions, type OAuthSettings } from './oauth-options.ts'
import { readClaims, type ClaimSources } from './read-claims.ts'
import { openResourceMetadata, resourceMetadataUrl } from './resource-metadata.ts'

/**
 * Makes a server an OAuth 2.1 resource server: it serves who has a token of one of the issuers for this very resource.
 * While an issuer cannot be reached, its tokens are answered with 503 as soon as what is remembered of it ends.
 */
export function oauth(options: OAuthOptions): Auth {
  const settings = readOAuthOptions(options)
  const { resource, scopes = [], scopesSupported = options.scopes, resourceName, documentationUrl } = options
  const { issuers, clockSkewS } = settings
  const check: BearerCheck = {
    challenge: { resource_metadata: resourceMetadataUrl(resource).href },
    scopes,
    clockSkewS,
    verify: options.verify ?? openVerifier(options, settings),
  }
  return {
    authenticate: (request) => authenticateBearer(request, check),
    challenge: (needed, request) => challengeForScopes(request, check, needed),
    document: openResourceMetadata({ resource, issuers, scopesSupported, resourceName, documentationUrl }),
  }
}

function openVerifier(options: OAuthOptions, settings: OAuthSettings): (token: string) => Promise<Principal> {
  const sources = openSources(options, settings)
  return async (token) => {
    const { issuer, claims } = await readClaims(token, sources)
    if (!hasAudience(claims.aud, settings.audiences)) {
      throw new TokenRefused('audience', 'The access token was not issued for this server.')
    }
    const principal = principalOf(issuer, claims)
    return options.principalOf === undefined ? principal : options.principalOf(claims, principal)
  }
}

function openSources({ introspection }: OAuthOptions, settings: OAuthSettings): ClaimSources {
  const issuers = settings.issuers.map((id) => openIssuer(id, settings.jwks))
  const [only] = issuers
  const canAsk = introspection !== undefined && only !== undefined
  return {
    issuers,
    introspect: canAsk ? openIntrospection(only, introspection) : undefined,
    clockSkewS: settings.clockSkewS,
  }
}

/**
 * Whether the `aud` of a token names one of the audiences. The case of scheme and host and the slash of an empty path
 * do not matter, all else does: https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
function hasAudience(claim: unknown, audiences: readonly string[]): boolean {
  const claimed = (Array.isArray(claim) ? claim : [claim]).filter((entry) => typeof entry === 'string').map(canonical)
  return audiences.some((audience) => claimed.includes(canonical(audience)))
}

function canonical(uri: string): string {
  const [, origin, rest] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(uri) ?? []
  return origin === undefined ? uri : `${origin.toLowerCase()}${rest === '/' ? '' : rest}`
}
