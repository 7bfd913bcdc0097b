/** A token that does not let its bearer in. The message is told to the client, so it quotes nothing of the token. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  constructor(
    readonly outcome: 'invalid' | 'expired' | 'audience',
    message: string,
  ) {
    super(message)
  }
}

/** Nobody could say whether a token is good. The message is for the operator; clients only hear to try again. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable'
}
