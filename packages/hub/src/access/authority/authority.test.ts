import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'drizzle-orm'
import { operator } from '../../wire/index.ts'
import { OAuthClient, redirectUri, type Tokens } from './testing/oauth-client.ts'
import { startAuthority, testPassword, type TestAuthority } from './testing/start-authority.ts'

let hub: TestAuthority

beforeAll(async () => {
  hub = await startAuthority()
  await hub.addUser('ada', 'owner')
  await hub.addUser('bob')
})
afterAll(() => hub[Symbol.asyncDispose]())

async function whoIs(token: string, path = '/mcp'): Promise<Response> {
  return await fetch(hub.url + path, { headers: { authorization: `Bearer ${token}` } })
}

async function newClient(): Promise<OAuthClient> {
  const client = new OAuthClient(hub.url)
  expect((await client.register()).status).toBe(201)
  return client
}

async function signedIn(changes: Record<string, string | null> = {}): Promise<{ client: OAuthClient; tokens: Tokens }> {
  const client = await newClient()
  return { client, tokens: await client.signIn(hub.browser(), 'bob', testPassword, changes) }
}

async function grantOf(client: OAuthClient) {
  const grants = await hub.authority.users.listGrants(operator)
  return grants.find(({ clientId }) => clientId === client.clientId)
}

describe('an access token', () => {
  test('is for one server and carries the role of the user', async () => {
    const { client, tokens } = await signedIn()
    expect(decodeJwt(tokens.access_token)).toMatchObject({ iss: hub.url, aud: `${hub.url}/mcp` })
    expect(tokens.expires_in).toBeLessThanOrEqual(600)
    const answer = await whoIs(tokens.access_token)
    expect(await answer.json()).toMatchObject({
      id: 'user:bob',
      kind: 'user',
      role: 'member',
      scopes: ['mcp', 'offline_access'],
      servers: ['facade'],
      clientId: client.clientId,
    })
    expect(hub.authority.remembered(tokens.access_token, 'facade')).toMatchObject({ id: 'user:bob' })
    const elsewhere = await whoIs(tokens.access_token, '/reader')
    expect(elsewhere.status).toBe(401)
    expect(elsewhere.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="The access token was not issued for this server.", ` +
        `scope="mcp", resource_metadata="${hub.url}/.well-known/oauth-protected-resource/api/mcp/servers/reader/stream"`,
    )
    expect((await whoIs(tokens.access_token, '/api')).status).toBe(401)
  })

  test('is for the facade when an old client names no resource and no scope', async () => {
    const { tokens } = await signedIn({ resource: null, scope: null })
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: `${hub.url}/mcp`, scope: 'mcp offline_access' })
  })

  test('is refused at once when the client revokes it, and when it revokes the refresh token', async () => {
    const { client, tokens } = await signedIn()
    const other = await signedIn()
    expect((await whoIs(tokens.access_token)).status).toBe(200)
    expect((await other.client.revoke(tokens.access_token)).status).toBe(200)
    expect((await whoIs(tokens.access_token)).status).toBe(200)
    expect((await client.revoke(tokens.access_token)).status).toBe(200)
    expect((await whoIs(tokens.access_token)).status).toBe(401)
    expect((await whoIs(other.tokens.access_token)).status).toBe(200)
    expect((await other.client.revoke(other.tokens.refresh_token)).status).toBe(200)
    expect((await whoIs(other.tokens.access_token)).status).toBe(401)
    expect((await other.client.refresh(other.tokens.refresh_token)).status).toBe(400)
  })

  test('is refused at once when the grant is taken back, and the client has to ask again', async () => {
    const { client, tokens } = await signedIn()
    expect((await whoIs(tokens.access_token)).status).toBe(200)
    const grant = await grantOf(client)
    expect(grant).toMatchObject({ user: 'bob', clientName: 'Test app', servers: ['facade'] })
    await hub.authority.users.revokeGrant(grant!.id, operator)
    expect((await whoIs(tokens.access_token)).status).toBe(401)
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400)
    expect(await grantOf(client)).toBeUndefined()
  })

  test('follows what happens to its user at once', async () => {
    await hub.addUser('eve')
    const client = await newClient()
    const tokens = await client.signIn(hub.browser(), 'eve', testPassword)
    expect(await (await whoIs(tokens.access_token)).json()).toMatchObject({ role: 'member' })
    await hub.authority.users.update('eve', { role: 'viewer' }, operator)
    expect(await (await whoIs(tokens.access_token)).json()).toMatchObject({ role: 'viewer' })
    await hub.authority.users.update('eve', { disabled: true }, operator)
    expect((await whoIs(tokens.access_token)).status).toBe(401)
    expect((await client.refresh(tokens.refresh_token)).status).not.toBe(200)
  })
})

describe('a refresh token', () => {
  test('works once, and its reuse after that ends everything that came of it', async () => {
    const { client, tokens } = await signedIn()
    const second = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens
    expect(second.refresh_token).not.toBe(tokens.refresh_token)
    expect((await whoIs(second.access_token)).status).toBe(200)
    // A client whose answer was lost may repeat itself for a moment; that moment is over now.
    await hub.store.db.execute(sql`update auth_refresh_token set rotation_replay_expires_at = now() - interval '1 s'`)
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400)
    expect((await client.refresh(second.refresh_token)).status).toBe(400)
  })
})

describe('an authorization request', () => {
  test.each([
    ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with PKCE in plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a server that is not here', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['with a scope that is not here', { scope: 'mcp root' }, 'invalid_scope'],
  ])('%s is sent back with an error', async (_case, changes, error) => {
    const client = await newClient()
    const page = await hub.browser().open(client.authorizeUrl(changes))
    expect(page.url.origin + page.url.pathname).toBe(redirectUri)
    expect(Object.fromEntries(page.url.searchParams)).toMatchObject({ error, state: 'the-state', iss: hub.url })
  })

  test.each([
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:33418/other'],
    ['a fragment', `${redirectUri}#x`],
    ['a user in it', 'http://evil@127.0.0.1:33418/callback'],
  ])('with a redirect URI of %s goes nowhere', async (_case, uri) => {
    const client = await newClient()
    const page = await hub.browser().open(client.authorizeUrl({ redirect_uri: uri }))
    expect([page.url.origin, page.url.pathname, page.status]).toEqual([hub.url, '/auth/error', 400])
    expect(page.text).not.toContain('evil')
  })

  test('may use another port of this machine, as programs do that take any free one', async () => {
    const client = await newClient()
    const page = await hub.browser().open(client.authorizeUrl({ redirect_uri: redirectUri.replace('33418', '50123') }))
    expect(page.url.pathname).toBe('/login')
  })

  test('is remembered by user and client, and asked again for more', async () => {
    const client = await newClient()
    const browser = hub.browser()
    await client.signIn(browser, 'bob', testPassword)
    expect((await browser.open(client.authorizeUrl())).url.searchParams.get('code')).not.toBeNull()
    expect((await browser.open(client.authorizeUrl({ scope: 'mcp admin' }))).url.pathname).toBe('/consent')
    const other = `${hub.url}/api/mcp/servers/reader/stream`
    expect((await browser.open(client.authorizeUrl({ resource: other }))).url.pathname).toBe('/consent')
    expect((await browser.open((await newClient()).authorizeUrl())).url.pathname).toBe('/consent')
    const refused = await browser.submit({}, { button: 'decision=deny' })
    expect(refused.url.searchParams.get('error')).toBe('access_denied')
  })

  test('shows who asks, for what, and where the answer goes', async () => {
    const client = new OAuthClient(hub.url)
    await client.register({ client_name: '<b>Nice</b> app' })
    const browser = hub.browser()
    await browser.open(client.authorizeUrl({ scope: 'mcp admin' }))
    const { text } = await browser.submit({ name: 'bob', password: testPassword })
    expect(text).toContain('&lt;b&gt;Nice&lt;/b&gt; app')
    expect(text).not.toContain('<b>')
    for (const part of ['127.0.0.1:33418', 'use the tools', 'manage this hub', 'the server “facade”', 'bob'])
      expect(text).toContain(part)
  })

  test('cannot be changed between the page and the answer', async () => {
    const client = await newClient()
    const browser = hub.browser()
    await browser.open(client.authorizeUrl())
    await browser.submit({ name: 'bob', password: testPassword })
    const query = new URLSearchParams(browser.page!.url.search)
    query.set('scope', 'mcp admin')
    const page = await browser.submit({ query: query.toString() }, { button: 'decision=allow' })
    expect([page.status, page.url.origin]).toEqual([400, hub.url])
  })
})

describe('an authorization code', () => {
  async function codeFor(client: OAuthClient): Promise<string> {
    const browser = hub.browser()
    await browser.open(client.authorizeUrl())
    await browser.submit({ name: 'bob', password: testPassword })
    const page = await browser.submit({}, { button: 'decision=allow' })
    return page.url.searchParams.get('code')!
  }

  test('works once; a second time ends what came of it', async () => {
    const client = await newClient()
    const code = await codeFor(client)
    const tokens = (await (await client.redeem(code)).json()) as Tokens
    expect((await client.redeem(code)).status).toBe(400)
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400)
  })

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:1/callback' }],
    ['another server', { resource: 'https://evil.example/mcp' }],
    ['another client', { client_id: 'somebody-else' }],
  ])('is good for nothing with %s', async (_case, changes) => {
    const client = await newClient()
    const response = await client.redeem(await codeFor(client), changes)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await response.text()).not.toContain('access_token')
  })
})

describe('a client that registers itself', () => {
  test.each([
    ['a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
    ['http to another machine', { redirect_uris: ['http://evil.example/callback'] }],
    ['no redirect URI', { redirect_uris: [] }],
    ['a grant without a user', { grant_types: ['client_credentials'] }],
  ])('is refused with %s', async (_case, metadata) => {
    expect((await new OAuthClient(hub.url).register(metadata)).status).toBe(400)
  })

  test('is refused when registration is off, which the metadata says', async () => {
    const metadata = async () =>
      (await (await fetch(`${hub.url}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>
    expect(await metadata()).toHaveProperty('registration_endpoint')
    hub.settings.registration = false
    try {
      expect(await metadata()).not.toHaveProperty('registration_endpoint')
      expect((await new OAuthClient(hub.url).register()).status).toBe(403)
    } finally {
      hub.settings.registration = true
    }
  })
})

test('metadata stands wherever clients look for it', async () => {
  const read = async (path: string) => (await (await fetch(hub.url + path)).json()) as Record<string, unknown>
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/auth/.well-known/openid-configuration',
  ])
    expect(await read(path)).toMatchObject({
      issuer: hub.url,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    })
  expect(await read('/.well-known/oauth-protected-resource')).toMatchObject({ resource: `${hub.url}/mcp` })
  const reader = '/api/mcp/servers/reader/stream'
  expect(await read(`/.well-known/oauth-protected-resource${reader}`)).toMatchObject({
    resource: hub.url + reader,
    authorization_servers: [hub.url],
    scopes_supported: ['mcp', 'mcp:read'],
  })
  expect((await fetch(`${hub.url}/.well-known/oauth-protected-resource/nothing`)).status).toBe(404)
  expect((await read('/auth/jwks')).keys).toHaveLength(1)
  expect(JSON.stringify(await read('/auth/jwks'))).not.toContain('"d"')
})

test("better-auth's own API is closed", async () => {
  for (const path of [
    'sign-in/email',
    'sign-up/email',
    'update-user',
    'get-session',
    'oauth2/create-client',
    'token',
    'ok',
  ])
    for (const method of ['GET', 'POST'])
      expect([path, (await fetch(`${hub.url}/auth/${path}`, { method })).status]).toEqual([path, 404])
})

test('another hub on the same store learns of a revocation', async () => {
  await using second = await startAuthority(hub)
  const { client, tokens } = await signedIn()
  const there = () => second.authority.remembered(tokens.access_token, 'facade')
  second.settings.publicUrl = hub.url
  expect(await second.authority.verify(tokens.access_token, 'facade')).toMatchObject({ id: 'user:bob' })
  expect(there()).toBeDefined()
  await hub.authority.users.revokeGrant((await grantOf(client))!.id, operator)
  await expect.poll(there).toBeUndefined()
  expect(await second.authority.verify(tokens.access_token, 'facade')).toMatchObject({
    refused: { code: 'UNAUTHENTICATED' },
  })
})

test('nothing that opens something stands in the database in clear', async () => {
  const { tokens } = await signedIn()
  const { setup } = await hub.authority.users.add({ name: 'kim' }, operator)
  const tables = [
    'user',
    'account',
    'session',
    'verification',
    'refresh_token',
    'key',
    'client',
    'password_code',
    'state',
  ]
  const rows = await Promise.all(
    tables.map(async (name) => (await hub.store.pool.query<object>(`select * from auth_${name}`)).rows),
  )
  const text = JSON.stringify(rows)
  expect(text).toContain('bob')
  for (const secret of [tokens.access_token, tokens.refresh_token, testPassword, setup.code, '"d\\":'])
    expect(text).not.toContain(secret)
})
