import { createHash, randomBytes } from 'node:crypto'
import type { TestBrowser } from './test-browser.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
}

export const redirectUri = 'http://127.0.0.1:33418/callback'

/** A public OAuth client, by hand, so that tests can leave things out. */
export class OAuthClient {
  readonly url: string
  clientId: string
  readonly verifier = randomBytes(32).toString('base64url')

  constructor(url: string, clientId = '') {
    this.url = url
    this.clientId = clientId
  }

  async register(metadata: Record<string, unknown> = {}): Promise<Response> {
    const response = await fetch(`${this.url}/auth/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Test app',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        ...metadata,
      }),
    })
    const { client_id: clientId } = (await response.clone().json()) as { client_id?: string }
    this.clientId = clientId ?? ''
    return response
  }

  /** Null leaves a parameter out. */
  authorizeUrl(changes: Record<string, string | null> = {}): string {
    const parameters: Record<string, string | null> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: redirectUri,
      state: 'the-state',
      scope: 'mcp',
      resource: `${this.url}/mcp`,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value)
    return `${this.url}/auth/oauth2/authorize?${query.toString()}`
  }

  async token(fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    return await fetch(`${this.url}/auth/oauth2/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ client_id: this.clientId, ...fields }).toString(),
    })
  }

  async redeem(code: string, changes: Record<string, string> = {}): Promise<Response> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: this.verifier }
    return await this.token({ ...fields, ...changes })
  }

  async refresh(refreshToken: string): Promise<Response> {
    return await this.token({ grant_type: 'refresh_token', refresh_token: refreshToken })
  }

  async revoke(token: string): Promise<Response> {
    return await fetch(`${this.url}/auth/oauth2/revoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: this.clientId, token }).toString(),
    })
  }

  /** Signs in, allows, and returns the tokens. */
  async signIn(browser: TestBrowser, name: string, password: string, changes = {}): Promise<Tokens> {
    await browser.open(this.authorizeUrl(changes))
    if (browser.page!.url.pathname === '/login') await browser.submit({ name, password })
    if (browser.page!.url.pathname === '/consent') await browser.submit({}, { button: 'decision=allow' })
    const code = browser.page!.url.searchParams.get('code')
    if (code === null)
      throw new Error(`No code: ${browser.page!.status} ${browser.page!.url.href} ${browser.page!.text}`)
    const response = await this.redeem(code)
    if (response.status !== 200) throw new Error(await response.text())
    return (await response.json()) as Tokens
  }
}
