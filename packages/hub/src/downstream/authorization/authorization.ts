import { HubError, type ConnectorOAuth, type SignInStep, type SignInView } from '@herma/contract'
import type { AddressGuard } from '../../platform/network/index.ts'
import { localOperator } from '../../wire/index.ts'
import type { Challenge } from './challenge.ts'
import { OAuthFlow, type CallbackParams } from './oauth-flow.ts'
import type { Records } from './records.ts'

export interface AuthorizationOptions {
  readonly name: string
  readonly serverUrl: string
  readonly settings: ConnectorOAuth | undefined
  readonly records: Records
  /** Keeps it from addresses that the server must not name. */
  readonly guard: AddressGuard
  /** Runs what only one hub may do at a time. */
  alone<T>(work: () => Promise<T>): Promise<T>
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
    return this.#renewOnce(challenge)
  }

  #renewOnce(challenge: Challenge | null): Promise<void> {
    this.#renewal ??= this.#renewOrRefuse(challenge).finally(() => {
      this.#renewal = null
    })
    return this.#renewal
  }

  async #renewOrRefuse(challenge: Challenge | null): Promise<void> {
    const before = this.#header
    if (!this.#canRenew) {
      // A store that is away has no news either.
      if (await this.#isRenewedElsewhere(before).catch(() => false)) return
      throw this.#refused(challenge)
    }
    // A refresh token is good for one refresh, so of all hubs one refreshes and the others take what it got.
    await this.#alone(async () => {
      if (await this.#isRenewedElsewhere(before)) return
      if (!this.#canRenew) throw this.#refused(challenge)
      await this.#run((flow) => flow.renew(challenge))
    })
  }

  /** Another hub on the same store may have renewed it, or a person may have signed in there. */
  async #isRenewedElsewhere(before: string | null): Promise<boolean> {
    await this.#options.records.reload()
    this.#take()
    if (this.#header === null || this.#header === before) return false
    this.#isNeeded = false
    this.#problem = null
    return true
  }

  /** Without the store a renewal could be lost, so there is none: the token that is here may still hold. */
  async #alone(work: () => Promise<void>): Promise<void> {
    const { name, alone } = this.#options
    await alone(work).catch((error: unknown) => {
      if (error instanceof HubError && error.code !== 'STORE_UNAVAILABLE') throw error
      const text = `'${name}' could not be authorized: the store cannot be reached. The call did not run.`
      throw new HubError('DOWNSTREAM_UNAVAILABLE', text, { cause: error })
    })
  }

  /** Begins a sign-in on behalf of a principal; one that is still waiting is over. */
  async signIn(by: string): Promise<SignInStep> {
    if (this.needsPerson) {
      const isNeeded = this.#isNeeded
      const url = await this.#run((flow) => flow.begin(this.#challenge, by))
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
    this.#isNeeded = this.needsPerson
    this.#problem = null
    this.#take()
  }

  /** The sign-in that waits for a person: its state, and who began it. */
  get pending(): { state: string; by: string } | null {
    const pending = this.#options.records.get('sign-in')
    return pending === undefined ? null : { state: pending.state, by: pending.by ?? localOperator }
  }

  get isSignedIn(): boolean {
    return this.#options.records.tokens !== undefined
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

  /** Whether a person signs in, or the hub by itself. */
  get needsPerson(): boolean {
    return this.#options.settings?.grant !== 'client_credentials'
  }

  /** Without a person. */
  get #canRenew(): boolean {
    return !this.needsPerson || this.#options.records.tokens?.refresh_token !== undefined
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
