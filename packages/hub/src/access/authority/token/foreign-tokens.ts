import type { Principal } from '@herma/contract'
import { oauth, type Auth, type AuthRequest } from '@herma/framework/auth'
import { decodeJwt } from 'jose'
import type { StoredIssuer } from '../provider/store.ts'
import { adminScope, scopesOfServers, urlsOf, type ServedResource } from '../resource/served-resource.ts'
import { TokenRefused, TokenUnchecked, type VerifiedToken } from './verified-token.ts'

const untrusted =
  'The key is not known, and no access token of an issuer that this server trusts. Make a key: herma key add NAME'

/** Verifies access tokens of other authorization servers, by their keys or by asking them. */
export class ForeignTokens {
  readonly #resources: () => readonly ServedResource[]
  #issuers: readonly StoredIssuer[] = []
  /** One verifier for each issuer and server, so that keys and answers are fetched once. */
  #verifiers = new Map<string, Auth>()

  constructor(resources: () => readonly ServedResource[]) {
    this.#resources = resources
  }

  set(issuers: readonly StoredIssuer[]): void {
    this.#issuers = issuers
    this.#verifiers = new Map()
  }

  get issuers(): string[] {
    return this.#issuers.map(({ issuer }) => issuer)
  }

  /** Throws `TokenRefused`, or `TokenUnchecked` when the issuer cannot be asked. */
  async verify(token: string, server: string | null): Promise<VerifiedToken> {
    const issuer = this.#issuerOf(token)
    if (issuer === undefined) throw new TokenRefused(untrusted)
    const outcome = await this.#verifierOf(issuer, server).authenticate(requestWith(token))
    if ('principal' in outcome) {
      const { principal } = outcome
      const expiresAt = principal.expiresAt === undefined ? Number.POSITIVE_INFINITY : principal.expiresAt * 1000
      return { principal: principalOf(issuer, principal, server), expiresAt, facts: null }
    }
    const { status, body = '{}' } = outcome.refused
    const { error_description: description } = JSON.parse(body) as { error_description?: string }
    throw status === 503
      ? new TokenUnchecked(description ?? 'The access token could not be checked right now.')
      : new TokenRefused(description ?? 'The access token is not valid here.')
  }

  /** An opaque token says nothing about its issuer; the one that can be asked about tokens is meant. */
  #issuerOf(token: string): StoredIssuer | undefined {
    const claimed = claimedIssuer(token)
    return claimed === undefined
      ? this.#issuers.find(({ introspection }) => introspection !== null)
      : this.#issuers.find(({ issuer }) => issuer === claimed)
  }

  #verifierOf({ name, issuer, audience, introspection }: StoredIssuer, server: string | null): Auth {
    const urls = urlsOf(server, this.#resources())
    // The addresses of a server change with the public URL.
    const key = JSON.stringify([name, urls])
    let verifier = this.#verifiers.get(key)
    if (verifier === undefined) {
      if (this.#verifiers.size >= maxVerifiers) this.#verifiers.clear()
      const resource = urls[0] ?? issuer
      const audiences = audience === null ? urls : [audience]
      verifier = oauth({ resource, issuer, audience: audiences, ...(introspection === null ? {} : { introspection }) })
      this.#verifiers.set(key, verifier)
    }
    return verifier
  }
}

const maxVerifiers = 1000

function principalOf(issuer: StoredIssuer, foreign: ForeignPrincipal, server: string | null): Principal {
  const own = foreign.scopes.filter((scope) => ourScopes.includes(scope))
  const { preferred_username: userName, email } = foreign.claims ?? {}
  const name = [userName, email].find((claim) => typeof claim === 'string' && claim !== '') ?? foreign.id
  return {
    id: `client:${foreign.id}`,
    kind: 'client',
    name: String(name).slice(0, 200),
    role: issuer.role,
    scopes: own.length > 0 ? own : issuer.scopes,
    servers: server === null ? [] : [server],
    ...(foreign.clientId === undefined ? {} : { clientId: foreign.clientId }),
  }
}

interface ForeignPrincipal {
  readonly id: string
  readonly scopes: readonly string[]
  readonly clientId?: string
  readonly claims?: Readonly<Record<string, unknown>>
}

const ourScopes: readonly string[] = [...scopesOfServers, adminScope]

/** The issuer that a JWT claims to be from, unverified; undefined for an opaque token. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    // What does not decode is an opaque token, which is not wrong in itself.
    return undefined
  }
}

/** The verifier looks at nothing but the header. */
function requestWith(token: string): AuthRequest {
  return {
    method: 'POST',
    url: new URL('http://localhost/'),
    header: (name) => (name.toLowerCase() === 'authorization' ? `Bearer ${token}` : undefined),
  }
}
