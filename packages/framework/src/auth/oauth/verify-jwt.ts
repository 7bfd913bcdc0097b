import { decodeJwt, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { IssuerUnavailable, TokenRefused } from '../auth-failure.ts'
import type { Claims } from './claims.ts'

/** With a symmetric algorithm a public key could be taken for the secret, and `none` is signed by nobody. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/** Other types, such as logout tokens, are signed with the same keys: https://www.rfc-editor.org/rfc/rfc8725#section-3.11 */
const types = [undefined, 'jwt', 'at+jwt', 'application/at+jwt']

export interface JwtCheck {
  readonly issuer: string
  readonly keys: JWTVerifyGetKey
  readonly clockSkewS: number
}

/** The claims of a JWT that its issuer signed and that is valid now. Its audience is not looked at here. */
export async function verifyJwt(token: string, { issuer, keys, clockSkewS }: JwtCheck): Promise<Claims> {
  const options = { issuer, algorithms, clockTolerance: clockSkewS, requiredClaims: ['exp'] }
  const { payload, protectedHeader } = await jwtVerify(token, keys, options).catch((error: unknown) => {
    throw explain(error, issuer)
  })
  if (types.includes(protectedHeader.typ?.toLowerCase())) return payload
  throw new TokenRefused('invalid', 'This kind of JWT is no access token.')
}

/** The issuer that a JWT claims to be from, unverified; undefined when the token is opaque or does not say. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    // What does not decode is an opaque token, which is not wrong in itself.
    return undefined
  }
}

function explain(error: unknown, issuer: string): Error {
  if (error instanceof IssuerUnavailable) return error
  if (error instanceof errors.JWTExpired) return new TokenRefused('expired', 'The access token has expired.')
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return new TokenRefused('invalid', 'The access token is signed with a key that its issuer does not publish.')
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return new TokenRefused('invalid', `The claim '${error.claim}' of the access token is missing or not accepted.`)
  }
  // Keys that cannot be used are the issuer's fault and not the token's.
  if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) {
    return new TokenRefused('invalid', 'The access token is malformed, or its signature is not accepted.')
  }
  return new IssuerUnavailable(`The keys of the issuer '${issuer}' could not be used.`, { cause: error })
}
