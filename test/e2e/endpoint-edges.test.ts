import { fileURLToPath } from 'node:url'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RawClient, type Headers } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const guarded = '/api/mcp/servers/guarded/stream'
const limit = 1_000_000

let hub: TestHub
let client: RawClient

beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('good', [program])], maxBodyBytes: limit })
  await hub.api('POST', '/api/servers', { name: 'small' })
  await hub.api('POST', '/api/servers', { name: 'guarded', access: 'required' })
  client = new RawClient(hub.endpoint)
})
afterAll(() => hub.stop())

const say = (text: string) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'good__echo', arguments: { text } },
})

describe('a target', () => {
  test.each(['/mcp', '/mcp/', '/mcp/?a=1', '/api/mcp/servers/small/stream', '/api/mcp/servers/small/stream/'])(
    '%s is served as it is, with no redirect',
    async (path) => {
      const { status, message } = await client.send(hello, {}, { path })
      expect({ status, name: message.result?.['serverInfo'] }).toMatchObject({ status: 200, name: { name: 'herma' } })
    },
  )

  test('with a slash at its end leads to the server of the hub itself too', async () => {
    const { status, message } = await client.send(hello, hub.operator, { path: '/api/mcp/servers/herma/stream/' })
    expect(status, JSON.stringify(message)).toBe(200)
  })

  test('with a slash at its end makes a connection that works', async () => {
    const connection = await new RawClient(`${hub.url}/mcp/`).connect()
    expect((await connection.send(say('a'))).message.result?.content?.[0]?.text).toBe('a')
  })

  test.each(['/mcp', '/mcp/', '/api/mcp/servers/small/stream?a=1'])(
    'in absolute form is the same as %s',
    async (path) => {
      expect((await client.send(hello, {}, { path: hub.url + path })).status).toBe(200)
      expect((await client.send(hello, {}, { path: hub.url.replace('http', 'HTTP') + path })).status).toBe(200)
    },
  )

  test.each([
    ['names another host than the Host header', 'http://localhost/mcp', undefined, 400],
    ['names a host that is not this hub', 'http://evil.example/mcp', 'evil.example', 403],
    ['names a user besides the host', 'http://someone@HOST/mcp', undefined, 400],
    ['is of another scheme', 'ftp://HOST/mcp', undefined, 400],
    ['has no host', 'http:///mcp', undefined, 400],
  ])('in absolute form that %s is refused', async (_, target, host, status) => {
    const path = target.replace('HOST', new URL(hub.url).host)
    expect((await client.send(hello, host === undefined ? {} : { host }, { path })).status).toBe(status)
  })

  test('in absolute form opens nothing to pages of other sites', async () => {
    const path = `${hub.url}/mcp`
    expect((await client.send(hello, { origin: 'https://evil.example' }, { path })).status).toBe(403)
    expect((await client.send({}, {}, { path: `${hub.url}/api/status`, method: 'GET' })).status).toBe(401)
  })
})

describe('a compressed body', () => {
  const codings = { gzip: gzipSync, 'x-gzip': gzipSync, deflate: deflateSync, br: brotliCompressSync }
  const modern = { 'mcp-protocol-version': '2025-11-25' }
  let session: Headers
  beforeAll(async () => {
    session = { ...modern, ...(await client.connect()).headers }
  })

  test.each(Object.entries(codings))('of coding %s is read', async (coding, compress) => {
    const body = compress(JSON.stringify(say('squeezed '.repeat(1000))))
    const { message } = await client.send(body, { ...session, 'content-encoding': coding })
    expect(message.result?.content?.[0]?.text).toBe('squeezed '.repeat(1000))
  })

  test('is read where its coding is written in capitals, and identity is none', async () => {
    const headers = { ...session, 'content-encoding': 'GZip' }
    expect((await client.send(gzipSync(JSON.stringify(say('A'))), headers)).status).toBe(200)
    expect((await client.send(say('A'), { ...session, 'content-encoding': 'identity' })).status).toBe(200)
  })

  test('is read by the other endpoints too', async () => {
    const path = '/api/mcp/servers/facade/rpc'
    const body = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
    const headers = { 'content-encoding': 'gzip', accept: 'application/json' }
    expect((await client.send(body, headers, { path })).message.result).toHaveProperty('tools')
  })

  test.each(['gzip, gzip', 'gzip, br', 'compress', 'zip', ''])('of coding %j is refused with 415', async (coding) => {
    const twice = gzipSync(gzipSync(JSON.stringify(say('A'))))
    const { status, headers, message } = await client.send(twice, { ...session, 'content-encoding': coding })
    expect(status).toBe(415)
    expect(headers['accept-encoding']).toMatch(/^gzip, deflate, br/)
    expect(message.error?.message).toContain('Content-Encoding')
  })

  test('is refused with 415 where nobody reads one', async () => {
    const body = gzipSync(JSON.stringify(hello))
    const headers = { ...hub.operator, 'content-encoding': 'gzip' }
    expect((await client.send(body, headers, { path: '/api/mcp/servers/herma/stream' })).status).toBe(415)
    expect((await client.send(body, headers, { path: '/api/connectors' })).status).toBe(415)
  })

  test.each(Object.entries(codings))(
    'of coding %s that is cut, or something else, is refused',
    async (coding, compress) => {
      const whole = compress(JSON.stringify(say('squeezed '.repeat(1000))))
      const bodies = [whole.subarray(0, -4), whole.subarray(0, 5), Buffer.from('{"jsonrpc":"2.0"}'), Buffer.alloc(0)]
      for (const body of bodies) {
        const { status, message } = await client.send(body, { ...session, 'content-encoding': coding })
        expect({ status, code: message.error?.code }).toEqual({ status: 400, code: -32_700 })
      }
    },
  )

  test.each(Object.entries(codings))(
    'of coding %s that is a bomb is not unpacked further than the limit',
    async (coding, compress) => {
      const bomb = compress(Buffer.alloc(40_000_000, 0x20))
      expect(bomb.length).toBeLessThan(limit)
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => client.send(bomb, { ...session, 'content-encoding': coding })),
      )
      expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413])
      expect((await client.send(say('still here'), session)).message.result?.content?.[0]?.text).toBe('still here')
    },
  )
})

describe('documents of OAuth', () => {
  const issuer = '/.well-known/oauth-authorization-server'
  const resource = '/.well-known/oauth-protected-resource'
  const status = async (path: string, headers: Headers = {}) =>
    (await client.send('', headers, { path, method: 'GET' })).status

  // The places where Codex looks before it adds a server, and those of the specification.
  const ofFacade = [
    `${issuer}/mcp`,
    issuer,
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/mcp',
    resource,
    `${resource}/mcp`,
    `${resource}/mcp/`,
  ]
  test('are not there for a server that asks for no login', async () => {
    for (const path of ofFacade) expect({ path, status: await status(path) }).toEqual({ path, status: 404 })
    expect(await status(`${resource}/api/mcp/servers/small/stream`)).toBe(404)
    const odd = await fetch(`${hub.url}/mcp${issuer}`)
    expect(odd.headers.get('content-type')).not.toContain('json')
  })

  test('are there for a server of the same hub that does', async () => {
    const document = (await (await fetch(`${hub.url}${resource}${guarded}`)).json()) as Record<string, unknown>
    expect(document).toMatchObject({ resource: hub.url + guarded })
    const [place] = document['authorization_servers'] as [string]
    const { origin, pathname } = new URL(place)
    for (const path of [`${issuer}${pathname}`, `/.well-known/openid-configuration${pathname}`]) {
      const described = (await (await fetch(origin + path)).json()) as Record<string, unknown>
      expect(described).toMatchObject({ issuer: place, token_endpoint: `${hub.url}/auth/oauth2/token` })
    }
    expect(await status(`${issuer}${guarded}`)).toBe(200)
    expect(await status(`${resource}${guarded}/`)).toBe(200)
  })

  test('are there for those who have to sign in, and only for them', async () => {
    // What comes through a proxy is not from this machine.
    for (const path of ofFacade) expect(await status(path, { 'x-forwarded-for': '192.0.2.1' })).toBe(200)
    await hub.api('PATCH', '/api/servers/facade', { access: 'required' })
    for (const path of ofFacade) expect({ path, status: await status(path) }).toEqual({ path, status: 200 })
    await hub.api('PATCH', '/api/servers/facade', { access: 'auto' })
    expect(await status(issuer)).toBe(404)
    await hub.api('PATCH', '/api/access/settings', { publicUrl: 'https://mcp.example.com' })
    const described = (await (await fetch(hub.url + issuer)).json()) as Record<string, unknown>
    expect(described).toMatchObject({ issuer: 'https://mcp.example.com' })
    await hub.api('PATCH', '/api/access/settings', { publicUrl: null })
  })
})
