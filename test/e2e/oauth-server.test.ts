import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { GrantView, UserSetup, UserView } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OAuthClient } from '../../packages/hub/src/access/authority/testing/oauth-client.ts'
import { TestBrowser } from '../../packages/hub/src/access/authority/testing/test-browser.ts'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const password = 'correct horse battery'
const path = '/api/mcp/servers/guarded/stream'
const echo = { name: 'everything__echo', arguments: { message: 'hello' } }

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('everything', [everything])] })
  await hub.api('POST', '/api/servers', { name: 'guarded', access: 'required' })
  await hub.api('PATCH', '/api/access/settings', { registration: true })
})
afterAll(() => hub.stop())

async function herma(...words: string[]) {
  return await hermaWith('', ...words)
}

async function hermaWith(input: string, ...words: string[]) {
  const env = { HERMA_CONFIG_HOME: dirname(hub.stateHome), HERMA_STATE_HOME: hub.stateHome }
  const { terminal, written } = captureTerminal({ env, input })
  const code = await runCli(words, terminal)
  return { code, ...written }
}

/** What a program does that uses the SDK: it keeps what it is given, and opens a browser when it has to. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:33418/callback'
  readonly clientMetadata: OAuthClientProvider['clientMetadata'] = {
    client_name: 'SDK program',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  }
  readonly browser = new TestBrowser(hub.url)
  authorizationUrl: URL | undefined
  stored: StoredOAuthTokens | undefined
  #client: StoredOAuthClientInformation | undefined
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined

  clientInformation = () => this.#client
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.#client = client)
  tokens = () => this.stored
  saveTokens = (tokens: StoredOAuthTokens) => void (this.stored = tokens)
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url)
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier)
  codeVerifier = () => this.#verifier
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.#discovery = state)
  discoveryState = () => this.#discovery
  invalidateCredentials = () => void (this.stored = undefined)

  /** The person at the browser signs in and allows; returns where the browser is sent with the code. */
  async allow(name: string): Promise<URLSearchParams> {
    await this.browser.open(this.authorizationUrl!)
    if (this.browser.page!.url.pathname === '/login') await this.browser.submit({ name, password })
    if (this.browser.page!.url.pathname === '/consent') await this.browser.submit({}, { button: 'decision=allow' })
    return this.browser.page!.url.searchParams
  }
}

async function connect(program: Program, mode: 'auto' | 'legacy' = 'auto') {
  const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url + path), { authProvider: program }))
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

async function signIn(program: Program, name: string, mode: 'auto' | 'legacy' = 'auto'): Promise<void> {
  const transport = new StreamableHTTPClientTransport(new URL(hub.url + path), { authProvider: program })
  const client = new Client({ name: 'sdk', version: '1' }, { versionNegotiation: { mode } })
  await expect(client.connect(transport)).rejects.toThrow(UnauthorizedError)
  await transport.finishAuth(await program.allow(name))
  await transport.close()
}

test('a user is added, sets a password, and shows up in the list', async () => {
  const added = await herma('user', 'add', 'ada', '--role', 'member', '--json')
  expect(added.code).toBe(0)
  const { user, setup } = JSON.parse(added.out) as UserSetup
  expect(user).toMatchObject({ name: 'ada', role: 'member', hasPassword: false })
  expect(setup.url).not.toContain(setup.code)
  const browser = new TestBrowser(hub.url)
  await browser.open(setup.url)
  expect((await browser.submit({ code: setup.code, password, again: password })).status).toBe(200)
  expect((await herma('user')).out).toMatch(/^ada +member +password +never/m)
  expect(await herma('user', 'add', 'ada')).toMatchObject({
    code: 1,
    error: expect.stringContaining('already') as string,
  })
  expect((await herma('user', 'add', 'Not A Name')).code).toBe(2)
})

describe('a program that uses the SDK', () => {
  test.each(['auto', 'legacy'] as const)('signs in through the browser and calls a tool (%s)', async (mode) => {
    const program = new Program()
    await signIn(program, 'ada', mode)
    await using client = await connect(program, mode)
    expect(await client.callTool(echo)).toMatchObject({ content: [{ text: 'Echo: hello' }] })
    expect(program.stored).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) as string })
  })

  test('refreshes a token that is not good any more, without the browser', async () => {
    const program = new Program()
    await signIn(program, 'ada')
    const first = program.stored!
    program.stored = { ...first, access_token: `${first.access_token}x` }
    await using client = await connect(program)
    expect(await client.callTool(echo)).toMatchObject({ content: [{ text: 'Echo: hello' }] })
    expect(program.stored.refresh_token).not.toBe(first.refresh_token)
  })

  test('gets nowhere else with its token', async () => {
    const program = new Program()
    await signIn(program, 'ada')
    const authorization = `Bearer ${program.stored!.access_token}`
    const visit = (place: string) => fetch(hub.url + place, { headers: { authorization } })
    for (const place of ['/mcp', '/api/connectors', '/api/access/users']) {
      const answer = await visit(place)
      expect([place, answer.status]).toEqual([place, 401])
      expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  })

  test('may only read with the scope for it, and is told which scope more needs', async () => {
    const reader = new OAuthClient(hub.url)
    await reader.register()
    const asked = { scope: 'mcp:read', resource: hub.url + path }
    const tokens = await reader.signIn(new TestBrowser(hub.url), 'ada', password, asked)
    const challenges: (string | null)[] = []
    const client = new Client({ name: 'reader', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(new URL(hub.url + path), {
      requestInit: { headers: { authorization: `Bearer ${tokens.access_token}` } },
      fetch: async (...call) => {
        const response = await fetch(...call)
        if (response.status === 403) challenges.push(response.headers.get('www-authenticate'))
        return response
      },
    })
    await client.connect(transport)
    expect(await client.callTool(echo)).toMatchObject({ content: [{ text: 'Echo: hello' }] })
    const { tools } = await client.listTools()
    const changing = tools.find(({ annotations }) => annotations?.readOnlyHint !== true)!
    await expect(client.callTool({ name: changing.name, arguments: {} })).rejects.toThrow(/scope|403/i)
    expect(challenges[0]).toMatch(/^Bearer error="insufficient_scope".*scope="mcp".*resource_metadata="/)
    await client.close()
  })

  test('is out at once when what it was allowed is taken back', async () => {
    const program = new Program()
    await signIn(program, 'ada')
    await using client = await connect(program)
    await client.callTool(echo)
    const { grants } = JSON.parse((await herma('user', 'grants', '--json')).out) as { grants: GrantView[] }
    const clientId = program.clientInformation()!.client_id
    const grant = grants.find((each) => each.clientId === clientId)
    expect(grant).toMatchObject({ user: 'ada', clientName: 'SDK program', servers: ['guarded'] })
    expect((await herma('user', 'revoke', grant!.id)).code).toBe(0)
    await expect(client.callTool(echo)).rejects.toThrow(UnauthorizedError)
    expect((await herma('user', 'revoke', grant!.id)).code).toBe(4)
  })
})

test('a browser that is signed in uses the management API as far as the role of its user goes', async () => {
  const browser = new TestBrowser(hub.url)
  await browser.open('/login')
  await browser.submit({ name: 'ada', password })
  const { apiHeaders } = browser
  const visit = (method: string, place: string, origin?: string) =>
    fetch(hub.url + place, { method, headers: { ...apiHeaders, ...(origin === undefined ? {} : { origin }) } })
  expect(await (await visit('GET', '/api/access/me')).json()).toMatchObject({ id: 'user:ada', role: 'member' })
  expect((await visit('DELETE', '/api/access/users/ada')).status).toBe(403)
  expect((await visit('GET', '/api/access/me', 'https://evil.example')).status).toBe(403)
  // A cookie never opens an MCP server: other pages of this machine could send it along.
  expect((await visit('POST', path)).status).toBe(401)
  const edited = await herma('user', 'edit', 'ada', '--disable', '--json')
  expect(JSON.parse(edited.out) as UserView).toMatchObject({ disabled: true })
  expect((await visit('GET', '/api/access/me')).status).toBe(401)
})

test('whom else the hub trusts is managed from the command line, and secrets stay off it', async () => {
  const canary = 'canary-secret-of-a-client'
  const issuer = 'https://127.0.0.1:9/nowhere'
  const add = ['user', 'provider', 'add', 'corp', '--issuer', issuer, '--client-id', 'herma']
  const failed = await hermaWith(canary, ...add)
  expect(failed.code).not.toBe(0)
  expect(failed.error).toContain('could not be read')
  expect((await hermaWith('', ...add)).code).toBe(2)
  expect((await hermaWith(canary, ...add, '--create')).error).toContain('domains')
  const introspection = ['--introspect-as', 'herma', '--role', 'viewer']
  const added = await hermaWith(canary, 'user', 'issuer', 'add', 'corp', issuer, ...introspection)
  expect([added.code, added.out]).toEqual([0, expect.stringContaining('viewer')])
  const listed = await herma('user', 'issuer', '--json')
  expect(listed.out).toContain('"introspectionClientId": "herma"')
  const events = await hub.api('GET', '/api/audit')
  expect(`${failed.error}${added.out}${listed.out}${JSON.stringify(events.body)}`).not.toContain(canary)
  expect((await herma('user', 'issuer', 'remove', 'corp')).code).toBe(0)
  expect((await herma('user', 'provider')).out).toContain('There is none')
})
