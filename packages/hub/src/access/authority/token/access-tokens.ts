import { HubError, type Principal } from '@herma/contract'
import { RememberedPrincipals } from '../remembered-principals.ts'
import { claimedIssuer, type ForeignTokens } from './foreign-tokens.ts'
import type { OwnTokens } from './own-tokens.ts'
import { TokenRefused, TokenUnchecked } from './verified-token.ts'

/** Who has a token, or why it opens nothing. */
export type TokenVerdict = Principal | { readonly refused: HubError; readonly challenge?: string }

export interface AccessTokensOptions {
  readonly own: OwnTokens
  readonly foreign: ForeignTokens
  issuer(): string
  /** Value of WWW-Authenticate for a token that is not valid. */
  challenge(server: string | null, description: string): string
}

/** Finds out who is behind an access token, ours or that of another issuer, and remembers it for a moment. */
export class AccessTokens {
  readonly #options: AccessTokensOptions
  readonly #known = new RememberedPrincipals()
  refusedCount = 0

  constructor(options: AccessTokensOptions) {
    this.#options = options
  }

  get rememberedCount(): number {
    return this.#known.size
  }

  /** The hot path: one lookup. */
  remembered(token: string, server: string | null): Principal | undefined {
    return this.#known.get(token, placeOf(server))
  }

  async verify(token: string, server: string | null): Promise<TokenVerdict> {
    const { own, foreign, issuer, challenge } = this.#options
    const { generation } = this.#known
    try {
      const isOwn = claimedIssuer(token) === issuer()
      const { principal, expiresAt } = await (isOwn ? own : foreign).verify(token, server)
      this.#known.remember({ credential: token, place: placeOf(server), principal, expiresAt, generation })
      return principal
    } catch (error) {
      if (error instanceof TokenUnchecked) return { refused: new HubError('OVERLOADED', error.message) }
      if (!(error instanceof TokenRefused)) throw error
      this.refusedCount++
      const refused = new HubError('UNAUTHENTICATED', `${error.message} Sign in again.`)
      return { refused, challenge: challenge(server, error.message) }
    }
  }

  forget(): void {
    this.#known.forget()
  }
}

/** No server has an empty name, so the management API may. */
function placeOf(server: string | null): string {
  return server ?? ''
}
