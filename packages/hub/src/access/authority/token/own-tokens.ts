import type { Principal } from '@herma/contract'
import { createLocalJWKSet, errors, jwtVerify, type JWTPayload } from 'jose'
import type { AuthorityStore } from '../store.ts'
import { serversOf, urlsOf, type ServedResource } from '../resource/served-resource.ts'
import type { StoredUser, UserStore } from '../user/store.ts'
import type { Revocations, TokenFacts } from '../user/revocations.ts'
import { TokenRefused, type VerifiedToken } from './verified-token.ts'

export interface OwnTokensOptions {
  readonly store: Pick<AuthorityStore, 'loadKeys'>
  readonly users: Pick<UserStore, 'findById'>
  readonly revocations: Revocations
  issuer(): string
  resources(): readonly ServedResource[]
}

/** How often an unknown key makes us look for new ones. */
const reloadMs = 2000

/** Verifies access tokens of the embedded authorization server with the keys in the store; better-auth is not needed. */
export class OwnTokens {
  readonly #options: OwnTokensOptions
  #keys: ReturnType<typeof createLocalJWKSet> | null = null
  #loadedAt = 0

  constructor(options: OwnTokensOptions) {
    this.#options = options
  }

  /** Throws `TokenRefused`. */
  async verify(token: string, server: string | null): Promise<VerifiedToken> {
    const resources = this.#options.resources()
    const payload = await this.#verifySignature(token, urlsOf(server, resources))
    const facts = factsOf(payload)
    if (this.#options.revocations.isRevoked(facts)) throw new TokenRefused('The access token was revoked.')
    const user = await this.#options.users.findById(facts.userId)
    if (user === null || user.disabled) throw new TokenRefused('The user of the access token may not sign in.')
    const principal = principalOf(user, payload, resources)
    return { principal, expiresAt: payload.exp! * 1000, facts }
  }

  async #verifySignature(token: string, audience: string[]): Promise<JWTPayload> {
    const options = {
      issuer: this.#options.issuer(),
      audience,
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'jti'],
    }
    try {
      return (await jwtVerify(token, this.#keys ?? (await this.#load()), options)).payload
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || Date.now() - this.#loadedAt < reloadMs) throw explain(error)
    }
    // The key may be younger than our copy.
    const { payload } = await jwtVerify(token, await this.#load(), options).catch((error: unknown) => {
      throw explain(error)
    })
    return payload
  }

  async #load(): Promise<ReturnType<typeof createLocalJWKSet>> {
    this.#loadedAt = Date.now()
    const stored = await this.#options.store.loadKeys()
    const list = stored.map(({ id, alg, jwk }) => ({ ...jwk, kid: id, alg: alg ?? 'EdDSA' }))
    const keys = createLocalJWKSet({ keys: list })
    // The first key comes with the first token, so that there is none is not worth remembering.
    this.#keys = list.length === 0 ? null : keys
    return keys
  }
}

function factsOf({ jti, sub, client_id: clientId, iat, cnf }: JWTPayload): TokenFacts {
  if (cnf !== undefined) throw new TokenRefused('The access token is bound to a key; this server takes bearer tokens.')
  if (sub === undefined || typeof clientId !== 'string') throw new TokenRefused('The access token names no user.')
  return { tokenId: jti!, userId: sub, clientId, issuedAt: iat! }
}

function principalOf(user: StoredUser, payload: JWTPayload, resources: readonly ServedResource[]): Principal {
  const scopes = typeof payload.scope === 'string' ? payload.scope.split(' ') : []
  return {
    id: `user:${user.name}`,
    kind: 'user',
    name: user.name,
    role: user.role,
    scopes,
    servers: serversOf([payload.aud ?? []].flat(), resources),
    clientId: payload.client_id as string,
  }
}

function explain(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return new TokenRefused('The access token has expired.')
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
    return new TokenRefused('The access token was not issued for this server.')
  if (error instanceof errors.JOSEError) return new TokenRefused('The access token is not valid here.')
  return error as Error
}
