import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth'
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose'
import type { StoredProvider } from './store.ts'

/** An identity provider as better-auth wants it. Who is not vouched for, or is of another domain, is nobody. */
export function signInConfig(provider: StoredProvider): GenericOAuthConfig {
  const { name, label, issuer, clientId, clientSecret, endpoints, createUsers } = provider
  const keys = createRemoteJWKSet(new URL(endpoints.keys))
  return {
    providerId: name,
    name: label,
    clientId,
    clientSecret,
    authorizationUrl: endpoints.authorization,
    tokenUrl: endpoints.token,
    scopes: ['openid', 'email', 'profile'],
    pkce: true,
    disableSignUp: !createUsers,
    accountSubject: ({ profile }) => profile.sub ?? '',
    getUserInfo: async ({ idToken }) => {
      if (idToken === undefined) return null
      const checks = { issuer, audience: clientId, requiredClaims: ['sub', 'exp'] }
      try {
        return profileOf((await jwtVerify(idToken, keys, checks)).payload, provider)
      } catch {
        // The page says that the provider vouches for nobody; the reason is in the claims, which nobody should log.
        return null
      }
    },
  }
}

function profileOf(payload: JWTPayload, { domains }: StoredProvider) {
  const { sub, email, email_verified: isVerified } = payload
  if (typeof email !== 'string' || isVerified !== true) return null
  const domain = email.toLowerCase().split('@').at(-1) ?? ''
  if (domains.length > 0 && !domains.includes(domain)) return null
  return { sub: sub!, email: email.toLowerCase(), emailVerified: true, name: email }
}
