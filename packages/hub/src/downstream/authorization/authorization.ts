import { HubError, type ConnectorOAuth, type SignInStep, type SignInView } from '@herma/contract'
import type { Challenge } from './challenge.ts'
import { OAuthFlow, type CallbackParams } from './oauth-flow.ts'
import type { Records } from './records.ts'

export interface AuthorizationOptions {
  readonly name: string
  readonly serverUrl: string
  readonly settings: ConnectorOAuth | undefined
  readonly records: Records
  redirectUrl(): string
  redact(text: string): string
}

/** A token is renewed this long before it expires, or in the last fifth of a short life. */
const renewBeforeMs = 60_000
/** How long to leave an authorization server alone that did not renew a token which still holds. */
const pauseMs = 30_000

/**
 * How the hub is authorized by the server of one connector. Calls read `header()`; whoever is refused asks for
 * `renew()`, which happens once for all who ask at the same time.
 */
export class Authorization {
  #options: AuthorizationOptions
  #header: string | null = null
  #expiresAt: number | null = null
  #renewAt = Number.POSITIVE_INFINITY
  #renewal: Promise<void> | null = null
  #challenge: Challenge | null = null
  #isNeeded = false
  #problem: string | null = null

  constructor(options: AuthorizationOptions) {
    this.#options = options
    this.#take()
  }

  /** Takes over what a person changed of the connector without giving up what was granted. */
  configure(changes: Pick<AuthorizationOptions, 'name' | 'settings'>): void {
    this.#options = { ...this.#options, ...changes }
    this.#take()
  }

  /** The Authorization header, or null while there is no token. No work unless the token is about to expire. */
  header(): string | null {
    if (this.#header !== null && Date.now() >= this.#renewAt) this.#renewEarly()
    return this.#header
  }

  /** True when the token is known to be of no use any more and can be renewed before it is sent. */
  get isStale(): boolean {
    return this.#expiresAt !== null && Date.now() >= this.#expiresAt && this.#canRenew
  }

  get isChallenged(): boolean {
    return this.#challenge !== null
  }

  /** Resolves when there is another token than the one that was refused; rejects with the next step. */
  renew(challenge: Challenge | null): Promise<void> {
    if (challenge !== null && this.#header !== null && challenge.sent !== this.#header) return Promise.resolve()
    this.#challenge = challenge ?? this.#challenge
    return this.#canRenew ? this.#renewOnce(challenge) : Promise.reject(this.#refused(challenge))
  }

  #renewOnce(challenge: Challenge | null): Promise<void> {
    this.#renewal ??= this.#run((flow) => flow.renew(challenge)).finally(() => {
      this.#renewal = null
    })
    return this.#renewal
  }

  /** Begins a sign-in; one that is still waiting is over. */
  async signIn(): Promise<SignInStep> {
    if (this.#isPersonal) {
      const isNeeded = this.#isNeeded
      const url = await this.#run((flow) => flow.begin(this.#challenge))
      this.#isNeeded = isNeeded
      return { done: false, url }
    }
    await this.#renewOnce(this.#challenge)
    return { done: true, url: null }
  }

  /** Ends a sign-in with what the authorization server sent the person back with. */
  finish(params: CallbackParams): Promise<void> {
    return this.#run((flow) => flow.finish(params))
  }

  /** Forgets what was granted, and the registration too, so that the next sign-in starts afresh. */
  async signOut(): Promise<void> {
    const { records } = this.#options
    for (const kind of ['tokens', 'client', 'discovery', 'sign-in', 'binding'] as const) await records.removeEvery(kind)
    this.#isNeeded = this.#isPersonal
    this.#problem = null
    this.#take()
  }

  /** The state of the sign-in that waits for a person. */
  get pendingState(): string | null {
    return this.#options.records.get('sign-in')?.state ?? null
  }

  view(): SignInView {
    const { tokens } = this.#options.records
    const pending = this.#options.records.get('sign-in')
    const isWaiting = pending !== undefined && pending.expiresAt > Date.now()
    const state = this.#isNeeded ? 'needed' : tokens === undefined ? 'none' : 'signed-in'
    return {
      state: isWaiting ? 'waiting' : state,
      issuer: tokens?.issuer ?? null,
      scope: tokens?.scope ?? null,
      expiresAt: tokens?.expiresAt === undefined ? null : new Date(tokens.expiresAt).toISOString(),
      problem: this.#problem ?? (pending === undefined || isWaiting ? null : 'Nobody came back from the page in time.'),
    }
  }

  get #isPersonal(): boolean {
    return this.#options.settings?.grant !== 'client_credentials'
  }

  /** Without a person. */
  get #canRenew(): boolean {
    return !this.#isPersonal || this.#options.records.tokens?.refresh_token !== undefined
  }

  async #run<T>(step: (flow: OAuthFlow) => Promise<T>): Promise<T> {
    try {
      const result = await step(new OAuthFlow(this.#options))
      this.#isNeeded = false
      this.#problem = null
      return result
    } catch (error) {
      const { code, message } = error as HubError
      this.#isNeeded ||= code === 'SIGN_IN_REQUIRED'
      this.#problem = message
      throw error
    } finally {
      this.#take()
    }
  }

  #take(): void {
    const { tokens } = this.#options.records
    // What cannot stand in a header would break the request instead of being refused.
    const isUsable = tokens !== undefined && /^[\u0021-\u007E]+$/.test(tokens.access_token)
    this.#header = isUsable ? `Bearer ${tokens.access_token}` : null
    this.#expiresAt = tokens?.expiresAt ?? null
    const lifeMs = (tokens?.expires_in ?? 0) * 1000
    const isRenewable = this.#expiresAt !== null && this.#canRenew
    this.#renewAt = isRenewable ? this.#expiresAt! - Math.min(renewBeforeMs, lifeMs / 5) : Number.POSITIVE_INFINITY
  }

  /** The token still holds, so nobody waits; a failure shows when it does not hold any more. */
  #renewEarly(): void {
    this.#renewAt = Number.POSITIVE_INFINITY
    this.renew(null).catch(() => {
      if (this.#header !== null) this.#renewAt = Date.now() + pauseMs
    })
  }

  #refused(challenge: Challenge | null): HubError {
    const { name } = this.#options
    const wants = challenge?.status === 403 ? 'wants rights that were not granted' : 'wants a sign-in'
    const error = new HubError(
      'SIGN_IN_REQUIRED',
      `'${name}' answered HTTP ${challenge?.status ?? 401}: it ${wants}. Run: herma login ${name}`,
    )
    this.#isNeeded = true
    return error
  }
}
