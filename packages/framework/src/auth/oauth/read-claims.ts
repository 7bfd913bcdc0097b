import { IssuerUnavailable, TokenRefused } from '../auth-failure.ts'
import type { Claims } from './claims.ts'
import type { Introspect } from './introspect.ts'
import type { Issuer } from './issuer.ts'
import { claimedIssuer, verifyJwt } from './verify-jwt.ts'

/** Who can vouch for a token. */
export interface ClaimSources {
  readonly issuers: readonly Issuer[]
  /** Asks the only issuer. */
  readonly introspect: Introspect | undefined
  readonly clockSkewS: number
}

export interface IssuedClaims {
  readonly issuer: string
  readonly claims: Claims
}

/** What the issuer of a token vouches for: with its signature when the token is a JWT, else by being asked. */
export async function readClaims(token: string, sources: ClaimSources): Promise<IssuedClaims> {
  const { issuers, introspect, clockSkewS } = sources
  const claimed = claimedIssuer(token)
  const issuer =
    claimed === undefined && introspect !== undefined ? issuers[0] : issuers.find(({ id }) => id === claimed)
  if (issuer === undefined) throw new TokenRefused('invalid', notTrusted)
  const keys = claimed === undefined ? undefined : await issuer.keys()
  if (keys !== undefined) {
    return { issuer: issuer.id, claims: await verifyJwt(token, { issuer: issuer.id, keys, clockSkewS }) }
  }
  if (introspect !== undefined) {
    return { issuer: issuer.id, claims: checkActive(await introspect(token), issuer.id, clockSkewS) }
  }
  throw new IssuerUnavailable(`The issuer '${issuer.id}' publishes no jwks_uri. Give its keys with 'jwks'.`)
}

const notTrusted = 'The access token does not name an issuer that this server trusts.'

/** The answer to an introspection need not be complete, but what it says must fit. */
function checkActive(claims: Claims | undefined, issuer: string, clockSkewS: number): Claims {
  if (claims === undefined) throw new TokenRefused('invalid', 'The access token is not active.')
  if (claims.iss !== undefined && claims.iss !== issuer) throw new TokenRefused('invalid', notTrusted)
  if (typeof claims.nbf === 'number' && claims.nbf - clockSkewS > Date.now() / 1000) {
    throw new TokenRefused('invalid', 'The access token is not valid yet.')
  }
  return claims
}
