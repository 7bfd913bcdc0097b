/** Who is asking. */
export interface Principal {
  /** Stable and unique for one issuer: state and sealed input are bound to it. */
  readonly id: string
  readonly scopes: readonly string[]
  readonly clientId?: string
  readonly claims?: Readonly<Record<string, unknown>>
  /** Seconds since 1970. */
  readonly expiresAt?: number
}

/** What an `Auth` may look at. It is neither node's request nor the web's, so that both can be served. */
export interface AuthRequest {
  readonly method: string
  readonly url: URL
  /** The name of the server, for events; the host when absent. */
  readonly server?: string
  header(name: string): string | undefined
}

/** An answer in place of serving the request. */
export interface AuthAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Who asks, or the answer for somebody who is not let in. */
export type AuthOutcome = { readonly principal: Principal } | { readonly refused: AuthAnswer }

/** Decides who a request over HTTP comes from. */
export interface Auth {
  authenticate(request: AuthRequest): AuthOutcome | Promise<AuthOutcome>
  /** The answer when a known principal lacks these scopes: the challenge that lets a client ask for more. */
  challenge(scopes: readonly string[], request: AuthRequest): AuthAnswer
  /** Documents that clients read before they have a token; undefined when the path is none of them. */
  document?(request: AuthRequest): AuthAnswer | undefined | Promise<AuthAnswer | undefined>
}

/** Whether a principal has all of these scopes. Nobody in particular has none. */
export function hasScopes(principal: Principal | undefined, scopes: readonly string[]): boolean {
  return scopes.every((scope) => principal?.scopes.includes(scope) === true)
}
