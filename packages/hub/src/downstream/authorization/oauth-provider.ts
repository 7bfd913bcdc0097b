import type { ConnectorOAuth } from '@herma/contract'
import type {
  AddClientAuthentication,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { PendingSignIn, Records } from './records.ts'

/** Only a person can go on from here. */
export class SignInNeeded extends Error {
  constructor() {
    super('a person has to sign in')
    this.name = 'SignInNeeded'
  }
}

export interface ProviderOptions {
  readonly records: Records
  readonly settings: ConnectorOAuth | undefined
  /** Where the authorization server sends a person back to. */
  readonly redirectUrl: string
  readonly addClientAuthentication: AddClientAuthentication | undefined
  /** A sign-in to begin: its state. */
  readonly state?: string
  /** A sign-in to finish. */
  readonly pending?: PendingSignIn
  onRedirect?(url: URL, verifier: string): Promise<void>
}

/** What the SDK asks for while it authorizes us: storage, the client that we are, and where to send a person. */
export class OAuthProvider implements OAuthClientProvider {
  readonly addClientAuthentication?: AddClientAuthentication
  readonly clientMetadataUrl?: string
  /** Absent for a client of the settings: another one is never registered in its place. */
  readonly saveClientInformation?: (
    info: StoredOAuthClientInformation,
    of?: OAuthClientInformationContext,
  ) => Promise<void>
  readonly #options: ProviderOptions
  #issuer = ''
  #verifier = ''
  #requestedScope: string | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
    const { settings, addClientAuthentication } = options
    if (addClientAuthentication !== undefined) this.addClientAuthentication = addClientAuthentication
    if (settings?.clientMetadataUrl !== undefined) this.clientMetadataUrl = settings.clientMetadataUrl
    if (settings?.clientId === undefined)
      this.saveClientInformation = (info, of) => this.#records.set('client', of?.issuer ?? this.#issuer, info)
    this.#requestedScope = options.pending?.scope ?? this.#records.tokens?.scope
  }

  get #records(): Records {
    return this.#options.records
  }

  get #isPersonal(): boolean {
    return this.#options.settings?.grant !== 'client_credentials'
  }

  get redirectUrl(): string | undefined {
    return this.#isPersonal ? (this.#options.pending?.redirectUrl ?? this.#options.redirectUrl) : undefined
  }

  get clientMetadata(): OAuthClientMetadata {
    const { settings, redirectUrl } = this.#options
    return {
      client_name: 'Herma',
      redirect_uris: this.#isPersonal ? [redirectUrl] : [],
      grant_types: this.#isPersonal ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
      ...(this.#isPersonal && { response_types: ['code'] }),
      ...(settings?.scope !== undefined && { scope: settings.scope }),
    }
  }

  state(): string {
    if (this.#options.state === undefined) throw new SignInNeeded()
    return this.#options.state
  }

  clientInformation(of?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    this.#issuer = of?.issuer ?? this.#issuer
    const { settings, state, redirectUrl } = this.#options
    if (settings?.clientId !== undefined) {
      const issuer = this.#records.get('binding')?.issuer ?? this.#issuer
      const { clientId: client_id, clientSecret: client_secret } = settings
      return { client_id, ...(client_secret !== undefined && { client_secret }), issuer }
    }
    const client = this.#records.get('client', this.#issuer)
    const isExpired = Boolean(client?.client_secret_expires_at) && client!.client_secret_expires_at! * 1000 < Date.now()
    // A hub that listens elsewhere now has to register that; a refresh still needs the client that it began with.
    const isElsewhere = state !== undefined && client?.redirect_uris?.includes(redirectUrl) === false
    return isExpired || isElsewhere ? undefined : client
  }

  tokens(of?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    return this.#records.get('tokens', of?.issuer ?? this.#issuer)
  }

  async saveTokens(tokens: StoredOAuthTokens, of?: OAuthClientInformationContext): Promise<void> {
    const issuer = of?.issuer ?? this.#issuer
    // A server that names no scope has granted the one that was asked for: https://www.rfc-editor.org/rfc/rfc6749#section-5.1
    const scope = tokens.scope ?? this.#requestedScope
    const expiresAt = tokens.expires_in === undefined ? undefined : Date.now() + tokens.expires_in * 1000
    const kept = { ...tokens, ...(scope !== undefined && { scope }), ...(expiresAt !== undefined && { expiresAt }) }
    const previous = this.#records.tokens?.issuer
    if (previous !== undefined && previous !== issuer) await this.#records.removeEvery('tokens')
    await this.#records.set('tokens', issuer, kept)
    if (this.#options.settings?.clientId !== undefined && this.#records.get('binding') === undefined)
      await this.#records.set('binding', '', { issuer })
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#options.pending?.verifier ?? this.#verifier
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    await this.#options.onRedirect?.(url, this.#verifier)
  }

  /** Null makes the SDK exchange the code. */
  prepareTokenRequest(scope?: string): URLSearchParams | undefined {
    if (this.#isPersonal) return undefined
    this.#requestedScope = scope
    return new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) })
  }

  async invalidateCredentials(what: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (what === 'all' || what === 'client') await this.#records.remove('client', this.#issuer)
    // A code that is refused says nothing about the tokens of an earlier sign-in.
    if ((what === 'all' || what === 'tokens') && this.#options.pending === undefined)
      await this.#records.removeEvery('tokens')
    if (what === 'all' || what === 'discovery') await this.#records.remove('discovery')
  }

  async saveDiscoveryState(state: OAuthDiscoveryState): Promise<void> {
    await this.#records.set('discovery', '', state)
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#options.pending?.discovery ?? this.#records.get('discovery')
  }
}
