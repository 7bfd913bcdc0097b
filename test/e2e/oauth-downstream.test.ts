import type { ConnectorInput, ConnectorView, SignInStep, TestReport } from '@herma/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startOAuthServer, type OAuthServer, type OAuthServerOptions } from '../fixtures/start-oauth-server.ts'
import { startProtectedServer, type ProtectedServer } from '../fixtures/start-protected-server.ts'
import { startProtectedSse } from '../fixtures/start-protected-sse.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'

interface World extends AsyncDisposable {
  readonly oauth: OAuthServer
  readonly server: ProtectedServer
  readonly hub: TestHub
}

interface WorldOptions extends OAuthServerOptions {
  readonly era?: 'legacy' | 'modern'
  readonly settings?: ConnectorInput['oauth']
}

async function startWorld({ era = 'modern', settings, ...options }: WorldOptions = {}): Promise<World> {
  const oauth = await startOAuthServer(options)
  const server = await startProtectedServer(oauth, era)
  const connector = connectorFor(server, settings)
  const hub = await startTestHub({ connectors: [connector] })
  return {
    oauth,
    server,
    hub,
    async [Symbol.asyncDispose]() {
      await hub.stop()
      await server[Symbol.asyncDispose]()
      await oauth[Symbol.asyncDispose]()
    },
  }
}

function connectorFor({ url }: ProtectedServer, oauth?: ConnectorInput['oauth']): ConnectorInput {
  const options = { prefix: '', requestTimeoutMs: 10_000 }
  return { name: 'vault', transport: 'stream', baseUrl: url, options, ...(oauth && { oauth }) }
}

async function view(hub: TestHub): Promise<ConnectorView> {
  return (await hub.api('GET', '/api/connectors/vault')).body as ConnectorView
}

/** The address that the authorization server sends a person back to. */
async function visitPage(hub: TestHub): Promise<string> {
  const { status, body } = await hub.api('POST', '/api/connectors/vault/sign-in')
  expect(status, JSON.stringify(body)).toBe(200)
  const page = await fetch((body as SignInStep).url!, { redirect: 'manual' })
  expect(page.status).toBe(302)
  return page.headers.get('location')!
}

async function comeBack(address: string): Promise<{ status: number; text: string }> {
  const response = await fetch(address)
  return { status: response.status, text: await response.text() }
}

async function signIn(hub: TestHub): Promise<void> {
  expect(await comeBack(await visitPage(hub))).toMatchObject({ status: 200 })
}

const echo = { name: 'echo', arguments: { text: 'hi' } }
const echoed = { content: [{ type: 'text', text: 'hi' }] }

test.each(['legacy', 'modern'] as const)('a person signs in to a %s server and its tools work', async (era) => {
  await using world = await startWorld({ era })
  const { hub, oauth, server } = world
  const before = await view(hub)
  expect(before.health.lastError?.message).toBe(`'vault' answered HTTP 401: it wants a sign-in. Run: herma login vault`)
  expect(before.signIn?.state).toBe('needed')
  expect(oauth.journal).toEqual([])

  await signIn(hub)
  expect(await view(hub)).toMatchObject({
    signIn: { state: 'signed-in', issuer: oauth.issuer, scope: 'use', problem: null },
    health: { state: 'ready' },
    counts: { tools: 3 },
  })
  expect(oauth.journal).toEqual(['register', 'authorize use', 'token authorization_code'])
  const client = await hub.connectV2(era === 'modern' ? 'auto' : 'legacy')
  expect(await client.callTool(echo)).toMatchObject(echoed)
  expect(new Set(server.shown).size).toBe(1)
})

test('a person signs in to a server over HTTP+SSE, and its posts are renewed too', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startProtectedSse(oauth)
  await using hub = await startTestHub({
    connectors: [{ name: 'vault', transport: 'sse', baseUrl: server.url, options: { prefix: '' } }],
  })
  expect((await view(hub)).health.lastError?.message).toContain('herma login vault')
  await signIn(hub)
  const client = await hub.connectV2('legacy')
  expect(await client.callTool(echo)).toMatchObject(echoed)
  oauth.expireTokens()
  expect(await client.callTool(echo)).toMatchObject(echoed)
  expect(oauth.journal.at(-1)).toBe('token refresh_token')
})

test('many calls with an expired token lead to one refresh, and none of them runs twice', async () => {
  await using world = await startWorld()
  const { hub, oauth, server } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  oauth.expireTokens()
  const answers = await Promise.all(Array.from({ length: 40 }, () => client.callTool(echo)))
  for (const answer of answers) expect(answer).toMatchObject(echoed)
  expect(oauth.journal.filter((entry) => entry === 'token refresh_token')).toHaveLength(1)
  expect(server.journal).toHaveLength(40)
})

test('a token is refreshed before it expires, without a refused call', async () => {
  await using world = await startWorld({ lifeSeconds: 3600 })
  const { hub, oauth, server } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  await client.callTool(echo)
  // Only the clock that says what time it is goes on: ten seconds are left to the token.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_590_000 })
  onTestFinished(() => void vi.useRealTimers())
  await client.callTool(echo)
  await expect.poll(() => oauth.journal.at(-1)).toBe('token refresh_token')
  // Calls go on with the old token until the hub has the new one.
  const showAgain = async () => {
    await client.callTool(echo)
    return new Set(server.shown).size
  }
  await expect.poll(showAgain).toBe(2)
  expect(server.shown.every((token) => token.startsWith('access-'))).toBe(true)
})

test('a revoked refresh token says what to do, and signing in again helps', async () => {
  await using world = await startWorld()
  const { hub, oauth } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  oauth.expireTokens()
  oauth.revokeRefreshTokens()
  await expect(client.callTool(echo)).rejects.toThrow(
    `'vault' does not accept its sign-in any more. Run: herma login vault`,
  )
  const { signIn: state, health } = await view(hub)
  expect(state?.state).toBe('needed')
  expect(health.lastError?.message).toContain('herma login vault')
  const report = (await hub.api('POST', '/api/connectors/vault/test', {})).body as TestReport
  expect(report).toMatchObject({ ok: false, cause: expect.stringContaining('wants a sign-in') })
  expect(report.fix).toContain('herma login vault')
  await signIn(hub)
  expect(await client.callTool(echo)).toMatchObject(echoed)
  // The registration is still known, so there is no other.
  expect(oauth.journal.filter((entry) => entry === 'register')).toHaveLength(1)
})

test('a registration that the server forgot is made once more', async () => {
  await using world = await startWorld()
  const { hub, oauth } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  oauth.expireTokens()
  oauth.forgetClients()
  await expect(client.callTool(echo)).rejects.toThrow('herma login vault')
  await signIn(hub)
  expect(await client.callTool(echo)).toMatchObject(echoed)
  expect(oauth.journal.filter((entry) => entry === 'register')).toHaveLength(2)
})

test('a sign-in page that refuses the registration leads to another one at the next attempt', async () => {
  await using world = await startWorld()
  const { hub, oauth } = world
  await signIn(hub)
  oauth.forgetClients()
  const { body } = await hub.api('POST', '/api/connectors/vault/sign-in')
  expect((await fetch((body as SignInStep).url!, { redirect: 'manual' })).status).toBe(400)
  await signIn(hub)
  expect((await view(hub)).signIn?.state).toBe('signed-in')
})

test('an authorization server that is broken is not mistaken for a sign-in that ended', async () => {
  await using world = await startWorld()
  const { hub, oauth } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  oauth.expireTokens()
  oauth.breakWith(503)
  await expect(client.callTool(echo)).rejects.toThrow(`'vault' could not be authorized`)
  oauth.breakWith(null)
  expect(await client.callTool(echo)).toMatchObject(echoed)
})

test('a tool that wants more rights is served after signing in for them, and the old ones stay', async () => {
  await using world = await startWorld()
  const { hub, oauth, server } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  await expect(client.callTool({ name: 'hold' })).rejects.toThrow(
    `'vault' wants more rights (use hold). Run: herma login vault`,
  )
  expect(server.journal).toEqual([])
  await signIn(hub)
  expect(oauth.journal).toContain('authorize use hold')
  const held = client.callTool({ name: 'hold' })
  await expect.poll(() => server.journal).toEqual(['hold'])
  expect(await client.callTool(echo)).toMatchObject(echoed)
  held.catch(() => undefined)
})

test('a tool that wants more rights does not keep the token of the others from being renewed', async () => {
  await using world = await startWorld({ lifeSeconds: 2 })
  const { hub, oauth } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  await expect(client.callTool({ name: 'hold' })).rejects.toThrow('wants more rights')
  await new Promise((resolve) => setTimeout(resolve, 2100))
  expect(await client.callTool(echo)).toMatchObject(echoed)
  expect(oauth.journal.at(-1)).toBe('token refresh_token')
})

test('a sign-in that fails is told, and the one before it still holds', async () => {
  await using world = await startWorld()
  const { hub } = world
  await signIn(hub)
  const address = new URL(await visitPage(hub))
  address.searchParams.set('code', 'another')
  expect(await comeBack(address.href)).toMatchObject({ status: 400 })
  expect((await view(hub)).signIn).toMatchObject({
    state: 'signed-in',
    problem: expect.stringContaining('was not signed in to'),
  })
  const client = await hub.connectV2('auto')
  expect(await client.callTool(echo)).toMatchObject(echoed)
})

test('client credentials need nobody, and step up by themselves', async () => {
  const settings = { grant: 'client_credentials' as const, clientId: 'robot', clientSecret: 'robot-secret' }
  await using world = await startWorld({ clients: { robot: 'robot-secret' }, settings })
  const { hub, oauth, server } = world
  expect(await view(hub)).toMatchObject({ health: { state: 'ready' }, signIn: { state: 'signed-in' } })
  const client = await hub.connectV2('auto')
  expect(await client.callTool(echo)).toMatchObject(echoed)
  oauth.expireTokens()
  await Promise.all([client.callTool(echo), client.callTool(echo)])
  const held = client.callTool({ name: 'hold' })
  await expect.poll(() => server.journal.at(-1)).toBe('hold')
  held.catch(() => undefined)
  expect(new Set(oauth.journal)).toEqual(new Set(['token client_credentials']))
  expect(oauth.journal).toHaveLength(3)
})

test('wrong client credentials are named as the cause', async () => {
  const settings = { grant: 'client_credentials' as const, clientId: 'robot', clientSecret: 'wrong-secret' }
  await using world = await startWorld({ clients: { robot: 'robot-secret' }, settings })
  const { health } = await view(world.hub)
  expect(health.lastError?.message).toContain('Check its client credentials')
  expect(health.lastError?.message).not.toContain('wrong-secret')
})

test('an answer with a wrong state, a second time, or from another issuer signs nobody in', async () => {
  await using world = await startWorld({ iss: 'https://other.example' })
  const { hub, oauth } = world
  const address = await visitPage(hub)
  const forged = new URL(address)
  forged.searchParams.set('state', 'forged')
  expect(await comeBack(forged.href)).toMatchObject({ status: 400, text: expect.stringContaining('No sign-in waits') })
  expect(await comeBack(address)).toMatchObject({ status: 400, text: expect.stringContaining('Not signed in') })
  expect(await comeBack(address)).toMatchObject({ status: 400, text: expect.stringContaining('No sign-in waits') })
  expect(oauth.journal).not.toContain('token authorization_code')
  expect((await view(hub)).signIn).toMatchObject({
    state: 'needed',
    problem: expect.stringContaining('Issuer mismatch'),
  })
})

test('a refusal of the person is told, escaped, and the page loads nothing', async () => {
  await using world = await startWorld()
  const address = new URL(await visitPage(world.hub))
  address.searchParams.delete('code')
  address.searchParams.set('error', 'access_denied')
  address.searchParams.set('error_description', '<script>alert(1)</script>')
  const response = await fetch(address)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  const text = await response.text()
  expect(text).toContain('access_denied')
  expect(text).not.toContain('<script>')
})

test('signing out forgets everything', async () => {
  await using world = await startWorld()
  const { hub } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  expect((await hub.api('POST', '/api/connectors/vault/sign-out')).status).toBe(204)
  await expect(client.callTool(echo)).rejects.toThrow('herma login vault')
})

test('a server that trusts another authorization server gets no credentials of the first', async () => {
  await using world = await startWorld()
  await using other = await startOAuthServer()
  const { hub, oauth, server } = world
  await signIn(hub)
  const client = await hub.connectV2('auto')
  server.trust(other)
  await expect(client.callTool(echo)).rejects.toThrow('herma login vault')
  expect(other.journal.filter((entry) => entry.startsWith('token'))).toEqual([])
  expect(oauth.journal.filter((entry) => entry === 'token refresh_token')).toEqual([])
  await signIn(hub)
  expect(await client.callTool(echo)).toMatchObject(echoed)
})

test('a connector that moves to another server takes no token along', async () => {
  await using world = await startWorld()
  const { hub, oauth } = world
  await using elsewhere = await startProtectedServer(oauth, 'modern')
  await signIn(hub)
  await hub.api('PATCH', '/api/connectors/vault', { baseUrl: elsewhere.url })
  await expect.poll(async () => (await view(hub)).signIn?.state).toBe('needed')
  expect(elsewhere.shown).toEqual([])
})

test('a header of the connector wins over a sign-in', async () => {
  await using world = await startWorld()
  const { hub, server } = world
  await signIn(hub)
  const headers = [{ name: 'authorization', value: 'Bearer by-hand' }]
  await hub.api('PATCH', '/api/connectors/vault', { headers })
  await expect.poll(() => server.shown.at(-1)).toBe('by-hand')
  expect((await view(hub)).signIn).toBeNull()
  expect((await hub.api('POST', '/api/connectors/vault/sign-in')).status).toBe(422)
})
