import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { base64url, decodeProtectedHeader, decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { TestBrowser } from '../../../packages/hub/src/access/authority/testing/test-browser.ts'
import type { OAuthClient, Tokens } from '../../../packages/hub/src/access/authority/testing/oauth-client.ts'
import { waitFor } from '../start-test-hub.ts'
import { password, startAttackHub, type AttackHub } from './start-attack-hub.ts'

let hub: AttackHub
let client: OAuthClient
let tokens: Tokens

beforeAll(async () => {
  hub = await startAttackHub()
  await hub.api('POST', '/api/servers', { name: 'work', access: 'required' })
  await hub.api('PATCH', '/api/servers/facade', { access: 'required' })
  await hub.user('ann', 'admin')
  client = await hub.client()
  tokens = await take()
})
afterAll(() => hub.stop())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const take = (changes = {}) => client.signIn(new TestBrowser(hub.url), 'ann', password, changes)
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const manifest = '/mcp/manifest.json'
const statusOf = async (token: string, path = manifest) => (await hub.ask(path, { headers: bearer(token) })).status

describe('an access token', () => {
  test('is for the server that it was issued for and no other place', async () => {
    expect(await statusOf(tokens.access_token)).toBe(200)
    expect(await statusOf(tokens.access_token, '/api/mcp/servers/work/stream')).toBe(401)
    expect(await statusOf(tokens.access_token, '/api/mcp/servers/herma/stream')).toBe(401)
    expect(await statusOf(tokens.access_token, '/api/status')).toBe(401)
    const other = await take({ resource: `${hub.url}/api/mcp/servers/work/stream` })
    expect(await statusOf(other.access_token)).toBe(401)
    // A token that was just found good elsewhere is remembered for that place only.
    expect(await statusOf(tokens.access_token)).toBe(200)
    expect(await statusOf(tokens.access_token, '/api/mcp/servers/work/stream')).toBe(401)
  })

  test('for managing is issued to who asked for that', async () => {
    const narrow = await take({ resource: `${hub.url}/api`, scope: 'mcp' })
    expect(await statusOf(narrow.access_token, '/api/status')).toBe(403)
    const wide = await take({ resource: `${hub.url}/api`, scope: 'admin' })
    expect(await statusOf(wide.access_token, '/api/status')).toBe(200)
    expect(await statusOf(wide.access_token)).toBe(401)
  })

  test.each<[string, () => string]>([
    ['without a signature', () => resign({ alg: 'none' }, '')],
    ['with the signature of another text', () => resign({}, tokens.access_token.split('.')[2]!)],
    ['signed with our public key as if it were a password', () => resignWithPublicKey()],
    ['that brings its own key', () => resign({ jwk: { kty: 'oct', k: 'AAAA' }, alg: 'HS256' }, hmac('AAAA'))],
    ['that says where its key is', () => resign({ jku: 'http://127.0.0.1:1/keys', kid: '../x' }, 'AAAA')],
    ['of another hub', () => resign({}, 'AAAA', { iss: 'https://evil.example' })],
    ['with something behind it', () => `${tokens.access_token}.x`],
    ['that is no token', () => 'a.b.c'],
    ['that is a refresh token', () => tokens.refresh_token],
    ['that is endless', () => 'x'.repeat(15_000)],
  ])('%s opens nothing', async (_, make) => {
    for (const path of [manifest, '/api/status']) expect(await statusOf(make(), path)).toBe(401)
  })

  test('opens nothing any more once it has expired, though it was remembered', async () => {
    expect(await statusOf(tokens.access_token)).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: decodeJwt(tokens.access_token).exp! * 1000 + 1000 })
    expect(await statusOf(tokens.access_token)).toBe(401)
  })

  test('ends with its grant, its user, and when it is revoked', async () => {
    const [first, second] = [await take(), await take()]
    await client.revoke(first.access_token)
    expect(await statusOf(first.access_token)).toBe(401)
    await hub.api('PATCH', '/api/access/users/ann', { disabled: true })
    expect(await statusOf(second.access_token)).toBe(401)
    await hub.api('PATCH', '/api/access/users/ann', { disabled: false })
    expect((await client.refresh(second.refresh_token)).status).toBe(200)
  })
})

describe('what is used twice', () => {
  test('an authorization code works once, and the second use ends what came of the first', async () => {
    const browser = new TestBrowser(hub.url)
    await browser.open(client.authorizeUrl())
    await browser.submit({ name: 'ann', password })
    const code = browser.page!.url.searchParams.get('code')!
    const first = await client.redeem(code)
    expect(first.status).toBe(200)
    const { refresh_token: refreshToken } = (await first.json()) as Tokens
    expect((await client.redeem(code)).status).toBe(400)
    expect((await client.refresh(refreshToken)).status).toBe(400)
  })

  test('a refresh token works once, and a late second use ends the grant', async () => {
    const { refresh_token: old } = await take()
    const { refresh_token: fresh } = (await (await client.refresh(old)).json()) as Tokens
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30_000 })
    expect((await client.refresh(old)).status).toBe(400)
    expect((await client.refresh(fresh)).status).toBe(400)
  })

  test('a code is of no use to who has not begun: no verifier, another client, another address', async () => {
    const browser = new TestBrowser(hub.url)
    await browser.open(client.authorizeUrl())
    await browser.submit({ name: 'ann', password })
    const stolen = browser.page!.url.searchParams.get('code')!
    const other = await hub.client()
    for (const attempt of [
      client.redeem(stolen, { code_verifier: 'x'.repeat(43) }),
      other.redeem(stolen, { code_verifier: client.verifier }),
      client.redeem(stolen, { redirect_uri: 'http://127.0.0.1:1/other' }),
    ])
      expect((await attempt).status).toBeGreaterThanOrEqual(400)
  })
})

describe('an API key', () => {
  test('opens nothing any more from the moment that it is revoked', async () => {
    const key = await hub.key({ name: 'gone' })
    expect((await hub.ask(manifest, { headers: { ...key } })).status).toBe(200)
    await hub.api('DELETE', '/api/access/keys/gone')
    expect((await hub.ask(manifest, { headers: { ...key } })).status).toBe(401)
  })

  test('ends a connection that it opened', async () => {
    const key = await hub.key({ name: 'connected' })
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const { headers } = await hub.ask('/mcp', { method: 'POST', headers: { ...key }, body })
    await hub.api('DELETE', '/api/access/keys/connected')
    const id = { 'mcp-session-id': String(headers['mcp-session-id']) }
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    for (const who of [{ ...key }, { ...hub.operator }]) {
      const { status } = await hub.ask('/mcp', { method: 'POST', headers: { ...id, ...who }, body: list })
      expect([401, 404]).toContain(status)
    }
  })

  test('opens nothing any more once it has expired', async () => {
    const key = await hub.key({ name: 'short', expiresAt: new Date(Date.now() + 1500).toISOString() })
    const ask = async () => (await hub.ask(manifest, { headers: { ...key } })).status
    expect(await waitFor(async () => ((await ask()) === 401 ? 401 : undefined))).toBe(401)
  })

  test.each(['access_token', 'token', 'api_key', 'apikey', 'x-api-key', 'key', 'authorization', 'anything'])(
    'in the query string as %s is refused, even beside a good one',
    async (name) => {
      const key = await hub.key({ name: `query-${name.replaceAll('_', '.')}` })
      const query = `?${name}=${key.authorization.slice(7)}`
      for (const path of ['/mcp', manifest, '/api/status', '/sse', '/metrics']) {
        expect([path, (await hub.ask(path + query)).status]).toEqual([path, 400])
        const { status } = await hub.ask(path + query, { headers: { ...hub.operator } })
        expect([path, status]).toEqual([path, 400])
      }
      expect(hub.log.join('')).not.toContain(key.authorization.slice(7))
    },
  )

  test.each(['Basic', 'Token', 'Bearer Bearer', 'Digest', ''])('counts with no other scheme: %o', async (scheme) => {
    const key = hub.operator.authorization.slice('Bearer '.length)
    const { status } = await hub.ask('/api/status', { headers: { authorization: `${scheme} ${key}`.trim() } })
    expect(status).toBe(401)
  })
})

describe('who guesses', () => {
  test('passwords is slowed down, whatever proxy the request claims to come through', async () => {
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const browser = new TestBrowser(hub.url)
      await browser.open('/login')
      const form = /name="form" value="([^"]*)"/.exec(browser.page!.text)![1]!
      const body = new URLSearchParams({ form, name: 'ann', password: `wrong password ${attempt}`, query: '' })
      const { status } = await browser.post('/login', body, { 'x-forwarded-for': `10.0.0.${attempt}` })
      statuses.push(status)
    }
    expect(statuses.at(-1)).toBe(429)
    expect(statuses[0]).toBe(401)
  })

  test('keys and tokens learns nothing from the answers', async () => {
    const known = await hub.key({ name: 'known' })
    const near = known.authorization.slice('Bearer '.length, -1)
    const answers = await Promise.all(
      [`${near}!`, `hk_${'x'.repeat(43)}`, `ho_${'x'.repeat(43)}`].map((key) =>
        hub.ask('/api/status', { headers: bearer(key) }),
      ),
    )
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })

  // Time itself is not measured, which would be noise here. What is looked at is how secrets are compared: digests of
  // one length by timingSafeEqual, or looked up by their hash.
  test('the token of the operator is compared as a digest, in constant time', async () => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual')
    syncBuiltinESMExports()
    const guess = `ho_${'x'.repeat(43)}`
    await statusOf(guess, '/api/status')
    await statusOf('ho_short', '/api/status')
    const compared = compare.mock.calls.map((pair) => pair.map((side) => Buffer.from(side as Buffer)))
    expect(compared).toHaveLength(2)
    for (const [given, right] of compared) {
      expect([given!.length, right!.length]).toEqual([32, 32])
      expect(right!.toString('latin1')).not.toContain(hub.operator.authorization.slice(7, 20))
    }
  })

  test('names of users learns nothing: known and unknown ones get the same page', async () => {
    await hub.user('cas', 'viewer')
    const pages = await Promise.all(
      ['cas', 'nobody-of-this-name'].map(async (name) => {
        const browser = new TestBrowser(hub.url)
        await browser.open('/login')
        const page = await browser.submit({ name, password: 'not the password' })
        await browser.open(`/set-password?name=${name}`)
        const set = await browser.submit({ name, code: 'AAAAAA', password, again: password })
        return [page.status, set.status, [page.text, set.text].map((text) => text.replaceAll(/value="[^"]*"/g, ''))]
      }),
    )
    expect(pages[0]).toEqual(pages[1])
  })
})

function resign(header: object, signature: string, claims: object = {}): string {
  const head = { ...decodeProtectedHeader(tokens.access_token), ...header }
  const body = { ...decodeJwt(tokens.access_token), role: 'owner', scope: 'mcp admin', ...claims }
  return [...[head, body].map((part) => base64url.encode(JSON.stringify(part))), signature].join('.')
}

let publicKey = ''
beforeAll(async () => {
  publicKey = await (await fetch(`${hub.url}/auth/jwks`)).text()
})

/** The confusion of algorithms: a verifier that lets the token choose would take the public key for a shared secret. */
function resignWithPublicKey(): string {
  const [key] = (JSON.parse(publicKey) as { keys: { x: string }[] }).keys
  return resign({ alg: 'HS256' }, hmac(key!.x))
}

function hmac(key: string): string {
  const text = resign({ alg: 'HS256' }, '').slice(0, -1)
  return crypto.createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url')
}
