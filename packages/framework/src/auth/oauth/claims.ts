import type { Principal } from '../auth.ts'
import { TokenRefused } from '../auth-failure.ts'

/** What an issuer says about a token, in a JWT or as the answer to an introspection. */
export type Claims = Readonly<Record<string, unknown>>

/** The principal that claims of this issuer describe: the subject, or the client itself when it acts for nobody. */
export function principalOf(issuer: string, claims: Claims): Principal {
  const clientId = text(claims.client_id) ?? text(claims.azp)
  const subject = text(claims.sub) ?? clientId
  if (subject === undefined) {
    throw new TokenRefused('invalid', 'The access token names neither a subject nor a client.')
  }
  return {
    // An issuer has no fragment, so what follows the first # is always the subject.
    id: `${issuer}#${subject}`,
    scopes: scopesOf(claims),
    claims,
    ...(clientId === undefined ? {} : { clientId }),
    ...(typeof claims.exp === 'number' ? { expiresAt: claims.exp } : {}),
  }
}

// `scope` is the standard's, `scp` what Entra ID, Okta and others write; either may be a list or words.
function scopesOf(claims: Claims): string[] {
  const claimed = claims.scope ?? claims.scp ?? []
  if (Array.isArray(claimed)) return claimed.filter((scope) => typeof scope === 'string')
  return typeof claimed === 'string' ? claimed.split(' ').filter((scope) => scope !== '') : []
}

function text(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim !== '' ? claim : undefined
}
