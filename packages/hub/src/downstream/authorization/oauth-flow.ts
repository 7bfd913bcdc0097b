import { randomBytes } from 'node:crypto'
import { HubError } from '@herma/contract'
import type { AuthOptions } from '@modelcontextprotocol/client'
import { createAddressFetch } from '../../platform/network/index.ts'
import type { AuthorizationOptions } from './authorization.ts'
import type { Challenge } from './challenge.ts'
import { guardIssuer } from './guard-issuer.ts'
import { createGuardedFetch, type FetchOutcome } from './guarded-fetch.ts'
import { OAuthProvider, SignInNeeded, type ProviderOptions } from './oauth-provider.ts'
import type { Records } from './records.ts'

/** What an authorization server sends a person back with. */
export interface CallbackParams {
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  readonly errorDescription?: string | undefined
}

/** How long a person may take to sign in. */
const signInMs = 10 * 60_000

// It takes longer to load than most hubs take to start, and most servers want no sign-in.
const loadSdk = () => import('@modelcontextprotocol/client')
type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** One conversation with an authorization server; the protocol is the SDK's. Every failure is a HubError. */
export class OAuthFlow {
  readonly #options: AuthorizationOptions
  readonly #outcome: FetchOutcome = { isTransient: false }
  #code: string | undefined

  constructor(options: AuthorizationOptions) {
    this.#options = options
  }

  /** Another token without a person: by the refresh token, or as a client of its own. */
  async renew(challenge: Challenge | null): Promise<void> {
    const sdk = await loadSdk()
    const { scope, resourceMetadataUrl, isWider } = this.#readChallenge(sdk, challenge)
    // A refresh cannot widen what was granted: https://www.rfc-editor.org/rfc/rfc6749#section-6
    if (isWider && this.#isPersonal) {
      throw this.#error('SIGN_IN_REQUIRED', `wants more rights (${scope ?? ''}). Run: herma login ${this.#name}`)
    }
    // A token that is refused may be so because the server trusts another authorization server now.
    if (challenge?.status === 401) await this.#records.remove('discovery')
    try {
      await this.#authorize(sdk, { scope, resourceMetadataUrl })
    } catch (error) {
      throw this.#explainRenewal(error)
    }
  }

  /** Prepares a sign-in and returns the page where a person does it. */
  async begin(challenge: Challenge | null, by: string): Promise<string> {
    const state = randomBytes(32).toString('base64url')
    // Nobody came back last time: perhaps the authorization server does not know our registration any more.
    if (this.#records.get('sign-in') !== undefined) await this.#records.removeEvery('client')
    await this.#records.remove('sign-in')
    await this.#records.remove('discovery')
    let page = ''
    const onRedirect = async (url: URL, verifier: string) => {
      page = url.href
      await this.#records.set('sign-in', '', {
        state,
        verifier,
        redirectUrl: this.#options.redirectUrl(),
        scope: url.searchParams.get('scope') ?? undefined,
        discovery: this.#records.get('discovery')!,
        expiresAt: Date.now() + signInMs,
        by,
      })
    }
    try {
      const sdk = await loadSdk()
      const { scope, resourceMetadataUrl } = this.#readChallenge(sdk, challenge)
      const options = { scope, resourceMetadataUrl, forceReauthorization: true }
      await this.#authorize(sdk, options, { state, onRedirect })
    } catch (error) {
      throw this.#error('SIGN_IN_FAILED', `cannot be signed in to: ${this.#textOf(error)}`)
    }
    if (!/^https?:/.test(page)) throw this.#error('SIGN_IN_FAILED', 'has a sign-in page that is no web page')
    return page
  }

  /** Exchanges the code. A sign-in is good for one attempt. */
  async finish({ code, iss, error, errorDescription }: CallbackParams): Promise<void> {
    const pending = this.#records.get('sign-in')
    await this.#records.remove('sign-in')
    if (pending === undefined || pending.expiresAt < Date.now())
      throw this.#error('SIGN_IN_FAILED', `was not signed in to in time. Run: herma login ${this.#name}`)
    this.#code = code
    try {
      const sdk = await loadSdk()
      const { authorizationServerMetadata: metadata, resourceMetadataUrl } = pending.discovery
      // Before anything it says is believed or shown: https://www.rfc-editor.org/rfc/rfc9207#section-2.4
      sdk.validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
      })
      if (code === undefined) throw new Error(`${error ?? 'no code came back'} ${errorDescription ?? ''}`.trim())
      const options = {
        authorizationCode: code,
        iss,
        scope: pending.scope,
        resourceMetadataUrl: resourceMetadataUrl === undefined ? undefined : new URL(resourceMetadataUrl),
      }
      await this.#authorize(sdk, options, { pending })
    } catch (failure) {
      throw this.#error('SIGN_IN_FAILED', `was not signed in to: ${this.#textOf(failure)}`)
    }
  }

  get #name(): string {
    return this.#options.name
  }

  get #records(): Records {
    return this.#options.records
  }

  get #isPersonal(): boolean {
    return this.#options.settings?.grant !== 'client_credentials'
  }

  async #authorize(sdk: Sdk, options: Loose<AuthOptions>, sign: Partial<ProviderOptions> = {}): Promise<void> {
    const { records, settings } = this.#options
    const provider = new OAuthProvider({
      records,
      settings,
      redirectUrl: this.#options.redirectUrl(),
      addClientAuthentication: privateKeyAuth(sdk, settings),
      ...sign,
    })
    const { serverUrl, guard } = this.#options
    const { fetch, close } = createAddressFetch(await guardIssuer(guard, serverUrl))
    const fetchFn = createGuardedFetch({ redact: (text) => this.#redact(text), outcome: this.#outcome, fetch })
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    try {
      await sdk.auth(provider, { serverUrl, fetchFn, ...given })
    } finally {
      void close()
    }
  }

  /** The scope to ask for, and whether it is more than what was granted. */
  #readChallenge(sdk: Sdk, challenge: Challenge | null) {
    const headers = new Headers(challenge?.header ? { 'www-authenticate': challenge.header } : {})
    const { scope: asked, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(new Response(null, { headers }))
    const granted = this.#records.tokens?.scope
    const isStepUp = challenge?.status === 403
    // What was granted before is asked for again, so that a wider or a later grant does not lose it.
    const isKept = isStepUp || (challenge === null && !this.#isPersonal)
    const scope = sdk.computeScopeUnion(this.#options.settings?.scope, isKept ? granted : undefined, asked)
    return { scope, resourceMetadataUrl, isWider: isStepUp && sdk.isStrictScopeSuperset(scope, granted) }
  }

  #explainRenewal(error: unknown): HubError {
    const text = this.#textOf(error)
    if (this.#outcome.isTransient)
      return this.#error('DOWNSTREAM_UNAVAILABLE', `could not be authorized: ${text}. The call did not run.`)
    if (error instanceof SignInNeeded)
      return this.#error('SIGN_IN_REQUIRED', `does not accept its sign-in any more. Run: herma login ${this.#name}`)
    if (this.#isPersonal)
      return this.#error('SIGN_IN_REQUIRED', `could not be authorized: ${text}. Run: herma login ${this.#name}`)
    const fix = `Check its client credentials: herma edit ${this.#name} --oauth clientSecret=@FILE`
    return this.#error('SIGN_IN_REQUIRED', `could not be authorized: ${text}. ${fix}`)
  }

  #textOf(error: unknown): string {
    const message = error instanceof Error ? error.message : String(error)
    const code = (error as { code?: unknown }).code
    const text = typeof code === 'string' && !message.includes(code) ? `${code}: ${message}` : message
    return this.#redact(text).replace(/\s+/g, ' ').slice(0, 500)
  }

  #redact(text: string): string {
    const redacted = this.#options.redact(text)
    return this.#code ? redacted.replaceAll(this.#code, '••••') : redacted
  }

  #error(code: HubError['code'], text: string): HubError {
    return new HubError(code, `'${this.#name}' ${text}`)
  }
}

type Loose<T> = { [K in keyof T]?: T[K] | undefined }

function privateKeyAuth(sdk: Sdk, settings: AuthorizationOptions['settings']) {
  const { clientId, privateKey, algorithm } = settings ?? {}
  if (clientId === undefined || privateKey === undefined || algorithm === undefined) return undefined
  return sdk.createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm })
}
