import type { Principal } from '@herma/contract'
import type { TokenFacts } from '../user/revocations.ts'

export interface VerifiedToken {
  readonly principal: Principal
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Null for tokens of other issuers, which cannot be revoked here. */
  readonly facts: TokenFacts | null
}

/** A token that does not let its bearer in. The message is told to the client and quotes nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

/** Nobody could tell whether the token is good. */
export class TokenUnchecked extends Error {
  override readonly name = 'TokenUnchecked'
}
