import type { ConnectorInput } from '@herma/contract'
import {
  auth,
  ClientCredentialsProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  isStrictScopeSuperset,
  PrivateKeyJwtProvider,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'

const redirectUrl = 'http://localhost:3000/callback'

/** Without a hub: the SDK's client signs in by itself, with the same settings that a hub would have. */
export function sdkSignIn(serverUrl: string, settings: ConnectorInput['oauth'], isPersonal: boolean) {
  if (isPersonal) return { fetch: signedInFetch(serverUrl, new Person(settings)) }
  const { clientId, clientSecret, privateKey, algorithm } = settings ?? {}
  if (clientId === undefined) return {}
  const authProvider =
    privateKey === undefined
      ? new ClientCredentialsProvider({ clientId, clientSecret: clientSecret! })
      : new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: algorithm! })
  return { authProvider }
}

/** Sends a request again after signing in, once. */
function signedInFetch(serverUrl: string, person: Person): FetchLike {
  const send = (url: string | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    const token = person.tokens()?.access_token
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return fetch(url, { ...init, headers })
  }
  return async (url, init) => {
    const response = await send(url, init)
    if (response.status !== 401 && response.status !== 403) return response
    await person.signIn(serverUrl, response)
    return send(url, init)
  }
}

/** A person who agrees to everything, and the SDK's storage for one server. */
class Person implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl
  readonly clientMetadata = { client_name: 'herma-conformance-client', redirect_uris: [redirectUrl] }
  readonly clientMetadataUrl?: string
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #discovery: OAuthDiscoveryState | undefined
  #verifier = ''
  #answer = new URLSearchParams()

  constructor(settings: ConnectorInput['oauth']) {
    if (settings?.clientMetadataUrl !== undefined) this.clientMetadataUrl = settings.clientMetadataUrl
    const { clientId, clientSecret } = settings ?? {}
    if (clientId !== undefined && clientSecret !== undefined)
      this.#client = { client_id: clientId, client_secret: clientSecret }
  }

  async signIn(serverUrl: string, refusal: Response): Promise<void> {
    const { resourceMetadataUrl, scope: asked } = extractWWWAuthenticateParams(refusal)
    const granted = this.#tokens?.scope
    const scope = refusal.status === 403 ? computeScopeUnion(granted, asked) : asked
    if (refusal.status === 401) this.#discovery = undefined
    const options = {
      serverUrl,
      ...(scope !== undefined && { scope }),
      ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    }
    const forceReauthorization = isStrictScopeSuperset(scope, granted)
    if ((await auth(this, { ...options, forceReauthorization })) === 'AUTHORIZED') return
    const [code, iss] = [this.#answer.get('code'), this.#answer.get('iss')]
    if (code === null) throw new Error('The sign-in page gave no code.')
    await auth(this, { ...options, authorizationCode: code, ...(iss !== null && { iss }) })
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    const { headers } = await fetch(page, { redirect: 'manual' })
    this.#answer = new URL(headers.get('location') ?? redirectUrl).searchParams
  }

  clientInformation = () => this.#client
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.#client = client)
  tokens = () => this.#tokens
  saveTokens = (tokens: StoredOAuthTokens) => void (this.#tokens = tokens)
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier)
  codeVerifier = () => this.#verifier
  discoveryState = () => this.#discovery
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.#discovery = state)
}
