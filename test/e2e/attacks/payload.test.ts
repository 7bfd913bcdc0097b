import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { AccessRuleView, Decision } from '@herma/contract'
import { parseClientText } from '../../../packages/hub/src/discovery/parse-client-text.ts'
import { RawClient } from '../../fixtures/misbehaving/raw-client.ts'
import { startAttackHub, type AttackHub } from './start-attack-hub.ts'
import { vaultConnector } from './vault-connector.ts'

let hub: AttackHub
let client: RawClient

interface Operation {
  readonly method: string
  readonly path: string
}
let operations: Operation[]

beforeAll(async () => {
  hub = await startAttackHub({ connectors: [vaultConnector('vault')] })
  client = new RawClient(hub.endpoint)
  const { paths } = (await hub.api('GET', '/api/openapi.json')).body as { paths: Record<string, object> }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      // Whoever may stop the hub needs no trick for it.
      .filter((method) => method !== 'get' && path !== '/api/stop')
      .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'none') })),
  )
})
afterAll(() => hub.stop())

// The hub runs in this process, so that what it pollutes is polluted here.
afterEach(async () => {
  const probe = {} as Record<string, unknown>
  const polluted = [
    ...Object.keys(Object.prototype),
    ...['polluted', 'role'].filter((name) => probe[name] !== undefined),
  ]
  if (polluted.length > 0) throw new Error(`every object has: ${polluted.join(' ')}`)
  const { text } = await client.callTool('vault__look')
  if (!text.includes('looked')) throw new Error(`the hub does not serve any more: ${text}`)
})

const post = (path: string, body: unknown, headers = {}, method = 'POST') =>
  hub.ask(path, { method, headers: { ...hub.operator, 'content-type': 'application/json', ...headers }, body })

describe('names that objects have by birth', () => {
  const poison = '"__proto__":{"polluted":true,"role":"owner"},"constructor":{"prototype":{"polluted":true}}'

  test('in the body of any operation change no object but the one that was sent', async () => {
    expect(operations.length).toBeGreaterThan(35)
    for (const { method, path } of operations) {
      for (const body of [`{${poison}}`, `{"name":"none",${poison},"headers":[{${poison}}],"options":{${poison}}}`]) {
        const { status, text } = await post(path, body, {}, method)
        expect([method, path, status < 500 || status === 502]).toEqual([method, path, true])
        expect(text).not.toContain('polluted":true')
      }
    }
  })

  test('in the parts of a connector are refused or mean nothing', async () => {
    for (const field of ['headers', 'env']) {
      const connector = `{"name":"proto","transport":"stdio","cmd":"true","${field}":[{"name":"__proto__","value":"x"}]}`
      await post('/api/connectors', connector)
      await hub.api('DELETE', '/api/connectors/proto')
    }
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      for (const path of ['connectors', 'servers', 'access/keys', 'access/users', 'access/rules', 'secrets'])
        expect([404, 405]).toContain((await hub.api('GET', `/api/${path}/${name}`)).status)
    }
  })

  test('in the arguments of a tool reach its server as they are', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault__echo","arguments":{${poison}}}}`
    const connection = await client.connect()
    const { message } = await client.send(body, connection.headers)
    expect(message.result?.content?.[0]?.text).toBe(`{${poison}}`)
  })

  test.each(['__proto__', 'constructor', 'toString', 'valueOf'])('are no tool, method or prompt: %s', async (name) => {
    expect((await client.callTool(name)).message.error).toBeDefined()
    expect((await client.modern('prompts/get', { name })).message.error).toBeDefined()
    expect((await client.modern(name)).message.error).toBeDefined()
    const connection = await client.connect()
    expect((await connection.request(name)).message.error).toBeDefined()
  })

  test('are no variables of a rule', async () => {
    const ask = async (when: string, args = '"__proto__":{"polluted":true,"role":"owner"}') => {
      const added = await hub.api('POST', '/api/access/rules', { effect: 'deny', when })
      const { id } = added.body as AccessRuleView
      const body = `{"principal":"operator","server":"facade","target":"vault__echo","arguments":{${args}}}`
      const { text } = await post('/api/access/explain', body)
      if (added.status === 201) await hub.api('DELETE', `/api/access/rules/${id}`)
      return (JSON.parse(text) as Decision).allowed
    }
    expect(await ask('has(arguments.polluted)')).toBe(true)
    expect(await ask('has(arguments.toString)')).toBe(true)
    // A deny that looks at what is not there, or at what has no type, cannot be worked out, and so denies.
    expect(await ask('arguments.role == "owner"')).toBe(false)
    expect(await ask('has(arguments.polluted)', poison)).toBe(false)
    // A rule cannot get hold of a function.
    for (const when of ['constructor.constructor("return 1")()', 'arguments.constructor.constructor("x")', 'this'])
      expect((await hub.api('POST', '/api/access/rules', { effect: 'allow', when })).status).toBe(422)
  })
})

describe('a bomb', () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  test('that is zipped is not unpacked beyond the limit', async () => {
    const zipped = gzipSync(Buffer.alloc(50_000_000, 0x20))
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'identity, gzip']) {
      const headers = { 'content-encoding': encoding }
      expect((await post('/api/access/rules', zipped, headers)).status).toBe(415)
      expect([400, 413, 415]).toContain((await post('/mcp', zipped, headers)).status)
    }
    const plain = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
    expect((await post('/mcp', plain, { 'content-encoding': 'gzip' })).status).toBeGreaterThanOrEqual(400)
  })

  test.each([100, 10_000, 150_000])('of %i levels breaks nothing', async (levels) => {
    const value = deep(levels)
    for (const [path, body] of [
      ['/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault__echo","arguments":${value}}}`],
      ['/mcp', value],
      ['/api/mcp/servers/facade/rpc', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${value}}`],
      ['/api/access/explain', `{"principal":"operator","server":"facade","target":"vault__echo","arguments":${value}}`],
      ['/api/catalog/dry-run', `{"tool":"vault__echo","arguments":${value}}`],
      ['/api/import', `{"mcpServers":${value}}`],
      ['/api/connectors', `{"name":"deep","transport":"stdio","cmd":"true","options":${value}}`],
      ['/auth/oauth2/register', `{"redirect_uris":["http://127.0.0.1/"],"x":${value}}`],
    ] as const) {
      const { status } = await post(path, body)
      expect([path, levels, status]).not.toEqual([path, levels, 500])
    }
  })

  test('of many fields, long texts or long lists breaks nothing', async () => {
    const count = 60_000
    const fields = Array.from({ length: count }, (_, index) => `"${index * 65_536}":1`).join(',')
    const names = Array.from({ length: count }, (_, index) => `"${index.toString(36).padStart(4, 'A')}Aa":1`).join(',')
    for (const value of [`{${fields}}`, `{${names}}`, `"${'x'.repeat(900_000)}"`, `[${'0,'.repeat(400_000)}0]`]) {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault__echo","arguments":{"a":${value}}}}`
      const bodies: [string, string][] = [
        ['/mcp', call],
        ['/mcp', value],
        ['/api/access/explain', `{"principal":"operator","server":"facade","target":"x","arguments":{"a":${value}}}`],
        ['/api/import', `{"mcpServers":${value}}`],
        ['/api/access/keys', `{"name":"x","servers":${value}}`],
      ]
      for (const [path, body] of bodies) expect((await post(path, body)).status).not.toBe(500)
    }
  })

  test('of 100 MB is not kept', async () => {
    const large = Buffer.alloc(20_000_000, 0x20)
    for (const path of ['/mcp', '/api/mcp/servers/facade/rpc']) expect((await post(path, large)).status).toBe(413)
    expect((await post('/api/access/rules', large.subarray(0, 3_000_000))).status).toBe(413)
    for (const path of ['/login', '/auth/oauth2/token', '/auth/oauth2/register', '/consent']) {
      const { status } = await post(path, large.subarray(0, 500_000))
      expect([path, status >= 400 && status < 500]).toEqual([path, true])
    }
  })

  test.each(['1e400', '-0', '1E+999999', `1${'0'.repeat(5000)}`, '"\\ud800"', '"\\u0000"', 'NaN', '[,]', ''])(
    'that is an odd value is no reason to fail: %o',
    async (value) => {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vault__echo","arguments":{"a":${value}}}}`
      expect((await post('/mcp', call)).status).not.toBe(500)
      expect((await post('/api/access/keys', `{"name":${value}}`)).status).not.toBe(500)
      const explain = `{"principal":"operator","server":"facade","target":"x","arguments":{"a":${value}}}`
      expect((await post('/api/access/explain', explain)).status).not.toBe(500)
    },
  )
})

// With a pattern engine that goes back, each of these takes longer than the universe is old, and the test never ends.
describe('a pattern that never ends', () => {
  test.each(['^(a+)+$', '(a|aa)+$', '^(a|a)*$', '(.*a){30}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'ends in a rule: %s',
    async (pattern) => {
      const when = `arguments.a.matches(${JSON.stringify(pattern)})`
      const { body } = await hub.api('POST', '/api/access/rules', { effect: 'deny', when })
      const short = await client.callTool('vault__echo', { a: `${'a'.repeat(100)}!` })
      const long = await client.callTool('vault__echo', { a: `${'a'.repeat(500_000)}!` })
      await hub.api('DELETE', `/api/access/rules/${(body as AccessRuleView).id}`)
      // What would take more work than a rule may do cannot be worked out, and so is denied.
      expect([short.status, long.status]).toEqual([200, 403])
    },
  )

  test('ends in a search, a filter of events and a glob', async () => {
    const pattern = encodeURIComponent('*a'.repeat(45))
    for (const path of [
      `/api/catalog/search?query=${encodeURIComponent('a'.repeat(5000))}`,
      `/api/events?kind=${pattern}`,
      `/api/events?text=${encodeURIComponent("(a+)+$ ' & | ! :* ".repeat(20))}`,
      `/api/traces?kind=${pattern}`,
    ])
      expect((await hub.api('GET', path)).status).toBeLessThan(500)
  })

  test('ends in a file that somebody handed over', () => {
    for (const hostile of ['/* ', '"\\', '\\"', ',\n', '{"a":'])
      expect(() => parseClientText(`{${hostile.repeat(150_000)}`, 'mcp.json')).toThrow('mcp.json')
  })
})
