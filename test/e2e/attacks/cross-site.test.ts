import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccessSettings, OperatorLink } from '@herma/contract'
import { cookiesOf, startAttackHub, type AttackHub } from './start-attack-hub.ts'

let hub: AttackHub
let cookie: string
/** What our own page adds to the cookie; these attackers have even that. */
let signedIn: Record<string, string>

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } },
}

beforeAll(async () => {
  hub = await startAttackHub()
  const { url } = (await hub.api('POST', '/api/access/link')).body as OperatorLink
  const opened = await fetch(url)
  const [, proof] = /data-proof="([^"]+)"/.exec(await opened.text())!
  signedIn = { 'herma-proof': proof! }
  cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!
})
afterAll(() => hub.stop())

const accept = 'application/json, text/event-stream'
const rpcPath = '/api/mcp/servers/facade/rpc'
const openPaths = [
  '/mcp',
  '/sse',
  '/api/mcp/servers/facade/stream',
  '/api/mcp/servers/facade/rpc',
  '/api/mcp/servers/facade/health',
  '/mcp/manifest.json',
  '/metrics',
  '/api/status',
  '/',
]

describe('DNS rebinding', () => {
  test.each([
    'evil.example',
    'evil.example:4376',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost.',
    '0.0.0.0',
    '[::]',
    '[::ffff:7f00:1]',
    '2130706433',
    '127.1',
    'localhost, evil.example',
    'evil.example@localhost',
  ])('a page that reaches us as %o gets nothing', async (host) => {
    for (const path of openPaths) {
      const { status, text } = await hub.ask(path, { headers: { host, ...hub.operator } })
      expect([path, status]).toEqual([path, 403])
      expect(text).not.toContain('herma"')
    }
    for (const path of ['/mcp', rpcPath])
      expect((await hub.ask(path, { method: 'POST', headers: { host }, body: initialize })).status).toBe(403)
  })
})

describe('a page of another site', () => {
  const foreign = [
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://localhost@evil.example',
    'file://',
    'http://192.168.1.1',
    'chrome-extension://abcdefghijklmnop',
    '',
  ]
  // Programs of this machine that serve pages are others too.
  const otherPorts = ['http://localhost:3000', 'http://127.0.0.1:1', 'http://[::1]:6274', 'https://localhost']
  test.each([...foreign, ...otherPorts])('at %o uses no server, and is not told that it might', async (origin) => {
    for (const path of ['/mcp', rpcPath]) {
      const { status, headers } = await hub.ask(path, { method: 'POST', headers: { origin }, body: initialize })
      expect([status, headers['access-control-allow-origin']]).toEqual([403, undefined])
    }
    const preflight = await hub.ask('/mcp', { method: 'OPTIONS', headers: { origin } })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })

  test.each([...foreign, ...otherPorts])('at %o manages nothing with the cookie of the operator', async (origin) => {
    const headers = { cookie, ...signedIn, origin, 'content-type': 'application/json' }
    const { status } = await hub.ask('/api/access/link', { method: 'POST', headers })
    expect(status).toBe(403)
    const read = await hub.ask('/api/status', { headers })
    expect([read.status, read.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })

  test('uses servers once it is allowed by name, and may read what clients need', async () => {
    const origin = 'http://localhost:6274'
    const why = await hub.ask('/mcp', { method: 'POST', headers: { origin }, body: initialize })
    expect([why.status, why.text]).toEqual([403, expect.stringContaining(`herma access --origin ${origin}`)])
    await hub.api('PATCH', '/api/access/settings', { allowedOrigins: [origin] })
    const preflight = await hub.ask('/mcp', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'authorization, mcp-protocol-version' },
    })
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'authorization, mcp-protocol-version',
    })
    const key = { authorization: `Bearer hk_${'x'.repeat(43)}` }
    for (const path of ['/mcp', '/api/mcp/servers/facade/stream', rpcPath])
      for (const headers of [{ origin }, { origin, ...key }]) {
        const answer = await hub.ask(path, { method: 'POST', headers: { ...headers, accept }, body: initialize })
        const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
        expect(exposed).toEqual(expect.arrayContaining(['Mcp-Session-Id', 'MCP-Protocol-Version', 'WWW-Authenticate']))
        expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
        // Every header of ours that a client looks at can be read by a page.
        const read = ['mcp-session-id', 'mcp-protocol-version', 'www-authenticate', 'retry-after']
        for (const name of read.filter((each) => answer.headers[each] !== undefined))
          expect(exposed.map((each) => each.toLowerCase())).toContain(name)
      }
    const api = await hub.ask('/api/status', { headers: { origin, ...hub.operator } })
    expect(api.status).toBe(403)
    await hub.api('PATCH', '/api/access/settings', { allowedOrigins: [] })
    expect((await hub.ask('/mcp', { method: 'POST', headers: { origin }, body: initialize })).status).toBe(403)
  })

  test.each(['cross-site', 'same-site'])(
    'that a browser calls %s gets nothing, though it sends no origin',
    async (site) => {
      const headers = {
        cookie,
        ...signedIn,
        'sec-fetch-site': site,
        'sec-fetch-mode': 'no-cors',
        'sec-fetch-dest': 'image',
      }
      for (const path of [...openPaths.filter((each) => each !== '/'), '/api/traces/download'])
        expect([path, (await hub.ask(path, { headers })).status]).toEqual([path, 403])
    },
  )

  test('can lead people here, which is what links are', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await hub.ask('/login', { headers })).status).toBe(200)
    expect((await hub.ask('/healthz', { headers })).status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    '',
    'text/plain; application/json',
  ])('cannot do with a plain form what needs JSON: %o', async (type) => {
    const body = '{"publicUrl":"https://evil.example"}'
    const headers = { cookie, ...signedIn, 'content-type': type }
    const { status } = await hub.ask('/api/access/settings', { method: 'PATCH', headers, body })
    expect(status).toBe(415)
    for (const path of ['/mcp', rpcPath]) {
      const rpc = await hub.ask(path, { method: 'POST', headers: { 'content-type': type }, body: initialize })
      expect(rpc.status).toBe(415)
    }
  })

  test('has changed nothing with all of this', async () => {
    const settings = (await hub.api('GET', '/api/access/settings')).body as AccessSettings
    expect(settings).toMatchObject({ publicUrl: null, allowedHosts: [], allowedOrigins: [] })
  })
})

describe('pages for people', () => {
  test('are framed by nobody and run no script of others', async () => {
    const ann = await hub.user('ann', 'member')
    const client = await hub.client()
    await ann.open(client.authorizeUrl())
    expect(ann.page!.url.pathname).toBe('/consent')
    const pages = [ann.page!.headers, (await ann.open('/login')).headers, (await ann.open('/auth/account')).headers]
    const ui = await fetch(hub.url)
    for (const headers of [...pages, ...(ui.ok ? [ui.headers] : [])]) {
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
    }
  })

  test.each(['https://evil.example', 'null', 'http://localhost:3000'])(
    'take no form from %o, though the browser is signed in',
    async (origin) => {
      const bob = await hub.user(`bob${origin.length}`, 'member')
      const client = await hub.client()
      await bob.open(client.authorizeUrl())
      const form = Object.fromEntries(
        [...bob.page!.text.matchAll(/name="(form|query)" value="([^"]*)"/g)].map(([, name, value]) => [
          name!,
          value!.replaceAll('&amp;', '&'),
        ]),
      )
      const body = new URLSearchParams({ ...form, decision: 'allow' }).toString()
      const headers = { ...cookiesOf(bob), origin, 'content-type': 'application/x-www-form-urlencoded' }
      const { status, text } = await hub.ask('/consent', { method: 'POST', headers, body })
      expect(status).toBe(403)
      expect(text).not.toContain('code=')
      const grants = await hub.ask('/api/access/grants', { headers: { ...cookiesOf(bob) } })
      expect(JSON.parse(grants.text)).toEqual({ grants: [] })
    },
  )

  test('send people to no other site after they signed in', async () => {
    for (const query of [
      'redirect_uri=https://evil.example',
      'next=//evil.example',
      'callbackURL=https://evil.example',
      'query=https://evil.example',
      'returnTo=/%5Cevil.example',
    ]) {
      const { status, headers } = await hub.ask(`/login?${query}`)
      expect([status, headers['location']]).toEqual([200, undefined])
    }
    const { url } = (await hub.api('POST', '/api/access/link')).body as OperatorLink
    const { headers, text } = await hub.ask(`${url.slice(hub.url.length)}&next=https://evil.example`)
    expect(headers['location']).toBeUndefined()
    expect(text).toContain('content="0; url=/"')
    expect(text).not.toContain('evil')
  })
})

test('cookies of the operator stay with our pages', async () => {
  const { url } = (await hub.api('POST', '/api/access/link')).body as OperatorLink
  const [line] = (await fetch(url, { redirect: 'manual' })).headers.getSetCookie()
  expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict/)
  expect(line).not.toMatch(/domain=/i)
})
