import { fileURLToPath } from 'node:url'
import type { DownstreamHealth } from '@herma/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RawClient, type LegacyConnection } from '../fixtures/misbehaving/raw-client.ts'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

let hub: TestHub
let client: RawClient
let connection: LegacyConnection

beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('good', [program])], maxBodyBytes: 1_000_000 })
  client = new RawClient(hub.endpoint)
  connection = await client.connect()
})

afterAll(() => hub.stop())

afterEach(expectServing)

async function expectServing(): Promise<void> {
  const { message } = await connection.request('tools/call', { name: 'good__echo', arguments: { text: 'still here' } })
  expect(message.result?.content).toEqual([{ type: 'text', text: 'still here' }])
}

describe('a body', () => {
  test.each(['', '{', '{"jsonrpc":', 'hello', '{"a":1}{"b":2}', "{'jsonrpc':'2.0'}", '\u0000', 'undefined'])(
    'that is no JSON is refused with a parse error: %j',
    async (body) => {
      const { status, message, headers } = await connection.send(body)
      expect(status).toBe(400)
      expect(headers['content-type']).toBe('application/json')
      expect(message).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_700 } })
    },
  )

  test.each([
    ['nothing', 'null'],
    ['a number', '5'],
    ['text', '"ping"'],
    ['an empty object', '{}'],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['no version', '{"id":1,"method":"ping"}'],
    ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":{}}'],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
    ['params that are text', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}'],
    ['no method, result or error', '{"jsonrpc":"2.0","id":1}'],
    ['the id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ['an id that is a boolean', '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
    ['a batch', `[${JSON.stringify(ping)}]`],
    ['an empty batch', '[]'],
  ])('with %s is refused as an invalid request', async (_, body) => {
    const { status, message } = await connection.send(body)
    expect(status).toBe(400)
    expect(message).toMatchObject({ jsonrpc: '2.0', error: { code: -32_600 } })
  })

  test('that is larger than the limit is refused with 413', async () => {
    const body = { ...ping, params: { text: 'x'.repeat(2_000_000) } }
    const { status, message } = await connection.send(body)
    expect(status).toBe(413)
    expect(message.error).toEqual({ code: -32_600, message: 'The body is larger than 1000000 bytes.' })
  })

  test('that is far larger than the limit does not have to be sent to be refused', async () => {
    const response = await fetch(hub.endpoint, {
      method: 'POST',
      headers: { ...connection.headers, 'content-type': 'application/json' },
      body: Buffer.alloc(30_000_000, 0x20),
    })
    expect(response.status).toBe(413)
  })

  test('with bytes that are no UTF-8 is refused, since others would reach the server', async () => {
    const head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":{"text":"a'
    const body = Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('b"}}}')])
    const { message } = await connection.send(body)
    expect(message.error).toMatchObject({ code: -32_700, message: 'The body is not valid UTF-8.' })
  })
})

describe('deep nesting', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const call = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":${args}}}`

  test('of arguments is refused when it cannot be passed on', async () => {
    const { status, message } = await connection.send(call(`{"deep":${deep(100_000)}}`))
    expect(status).toBe(400)
    expect(message.error?.code).toBe(-32_600)
    expect(message.error?.message).toContain('deeper than 1000 levels')
  })

  test('of arguments passes where it can be passed on', async () => {
    const { message } = await connection.send(call(`{"text":"a","deep":${deep(900)}}`))
    expect(message.result?.content?.[0]?.text).toBe('a')
  })

  test('of arguments for a server that is not running yet does no harm either', async () => {
    await hub.add(stdioConnector('resting', [program], { options: { idleTimeoutMs: 1 } }))
    await waitFor(async () => {
      const { body } = await hub.api('GET', '/api/connectors/resting/health')
      return (body as DownstreamHealth).state === 'idle' || undefined
    })
    const body = call(`{"deep":${deep(100_000)}}`).replace('good__', 'resting__')
    expect((await connection.send(body)).status).toBe(400)
    await hub.api('DELETE', '/api/connectors/resting')
  })

  test.each([
    ['the id', `{"jsonrpc":"2.0","id":${deep(100_000)},"method":"ping"}`],
    ['the whole message', deep(100_000)],
    ['initialize', `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${deep(100_000)}}}`],
    ['a cursor', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":${deep(100_000)}}}`],
    ['a tool name', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${deep(100_000)}}}`],
    ['a log level', `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":${deep(100_000)}}}`],
    ['a JSON that never ends', '['.repeat(400_000)],
  ])('in %s gets an error', async (_, body) => {
    const { message } = await connection.send(body)
    expect(message.error?.code).toBeLessThan(-32_000)
    expect(message.error?.message).not.toContain('failed to handle')
  })

  test('in a notification is refused too', async () => {
    const body = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${deep(100_000)}}}`
    expect((await connection.send(body)).status).toBe(400)
  })
})

describe('HTTP headers', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'text/json', undefined])(
    'with the Content-Type %s are refused with 415',
    async (type) => {
      const { status, message } = await connection.send(ping, { 'content-type': type })
      expect(status).toBe(415)
      expect(message.error?.message).toContain('application/json')
    },
  )

  test.each(['text/html', 'application/json', 'text/event-stream', ''])(
    'with Accept: %s are refused with 406',
    async (accept) => {
      const { status, message } = await connection.send(ping, { accept })
      expect(status).toBe(406)
      expect(message.error?.message).toContain('text/event-stream')
    },
  )

  test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '0.0.0.0'])(
    'with the Host %s are refused with 403, on every path',
    async (host) => {
      for (const path of ['/mcp', '/api/connectors', '/healthz', '/']) {
        const { status, text } = await client.send(ping, { ...connection.headers, host }, { url: hub.url + path })
        expect(status).toBe(403)
        expect(text).toContain('does not name this hub')
      }
    },
  )

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1@evil.example'])(
    'with the Origin %s are refused with 403 and no leave to read the answer',
    async (origin) => {
      const { status, headers } = await connection.send(ping, { origin })
      expect(status).toBe(403)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test('with the Origin of another page on this machine are served once it is allowed by name', async () => {
    const origin = 'http://localhost:6274'
    const refused = await connection.send(ping, { origin })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, undefined])
    await hub.api('PATCH', '/api/access/settings', { allowedOrigins: [origin] })
    const { status, headers } = await connection.send(ping, { origin })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, origin])
    await hub.api('PATCH', '/api/access/settings', { allowedOrigins: [] })
  })

  test('with an unknown session are answered 404, so that the client starts again', async () => {
    for (const id of ['00000000-0000-0000-0000-000000000000', '__proto__', 'constructor', 'x'.repeat(4000), '../etc']) {
      const { status, message } = await connection.send(ping, { 'mcp-session-id': id })
      expect(status).toBe(404)
      expect(message).toMatchObject({ id: 1, error: { code: -32_001 } })
    }
  })

  test.each([undefined, ''])('with the session %j are refused with 400', async (id) => {
    const { status, message } = await connection.send(ping, { 'mcp-session-id': id })
    expect(status).toBe(400)
    expect(message.error?.message).toContain('initialize')
  })

  test.each(['1.0', '2020-01-01', '2025-11-24', '2099-01-01', 'banana', ''])(
    'with the revision %j are refused with 400 and the revisions that there are',
    async (revision) => {
      const { status, message } = await connection.send(ping, { 'mcp-protocol-version': revision })
      expect(status).toBe(400)
      expect(message.error?.data).toMatchObject({ supported: expect.arrayContaining(['2025-11-25']) })
    },
  )
})

describe('HTTP methods', () => {
  test.each(['PUT', 'PATCH', 'TRACE', 'PROPFIND'])(
    '%s is refused with 405 and those that there are',
    async (method) => {
      const { status, headers, message } = await client.send('', {}, { method })
      expect(status).toBe(405)
      expect(headers.allow).toContain('POST')
      expect(message.error?.code).toBeLessThan(-31_999)
    },
  )

  test('GET without a connection is refused with 405 when it asks for a stream', async () => {
    const { status } = await client.send('', { accept: 'text/event-stream' }, { method: 'GET' })
    expect(status).toBe(405)
  })

  test.each(['x', '1', '1-', '-1', '1-1-1', '999-999', '__proto__', '1-99999999999999999999', '-0'])(
    'GET after the unknown event %j is refused with 405: there is no such stream',
    async (id) => {
      const headers = { ...connection.headers, accept: 'text/event-stream', 'last-event-id': id }
      const { status, message } = await client.send('', headers, { method: 'GET' })
      expect(status).toBe(405)
      expect(message.error?.message).toContain('not kept any more')
    },
  )

  test.each([
    [400, undefined],
    [404, 'unknown'],
  ])('DELETE is answered %i for the session %j', async (expected, id) => {
    const { status } = await client.send('', { 'mcp-session-id': id }, { method: 'DELETE' })
    expect(status).toBe(expected)
  })

  test('a connection that was deleted is unknown', async () => {
    const other = await client.connect()
    expect((await client.send('', other.headers, { method: 'DELETE' })).status).toBe(200)
    expect((await other.request('ping')).status).toBe(404)
    expect((await client.send('', other.headers, { method: 'DELETE' })).status).toBe(404)
  })

  test('HEAD and OPTIONS answer probes', async () => {
    expect((await client.send('', {}, { method: 'HEAD' })).status).toBe(200)
    expect((await client.send('', {}, { method: 'OPTIONS' })).status).toBe(204)
  })
})

describe('requests', () => {
  test.each([
    ['tools/call', { name: 'unknown' }, -32_602, 'Unknown tool: "unknown"'],
    ['tools/call', { name: '__proto__' }, -32_602, 'Unknown tool: "__proto__"'],
    ['tools/call', { name: 'constructor' }, -32_602, 'Unknown tool: "constructor"'],
    ['tools/call', { name: 'toString' }, -32_602, 'Unknown tool: "toString"'],
    ['tools/call', { name: 'good__' }, -32_602, 'Unknown tool: "good__"'],
    ['tools/call', { name: 'echo' }, -32_602, 'Unknown tool: "echo"'],
    ['tools/call', { name: 5 }, -32_602, 'Unknown tool: 5'],
    ['tools/call', { name: null }, -32_602, 'Unknown tool: null'],
    ['tools/call', {}, -32_602, 'Unknown tool'],
    ['tools/call', undefined, -32_602, 'Unknown tool'],
    ['prompts/get', { name: '__proto__' }, -32_602, 'Unknown prompt: "__proto__"'],
    ['prompts/get', {}, -32_602, 'Unknown prompt'],
    ['resources/read', { uri: 'demo://unknown' }, -32_002, 'Resource not found'],
    ['resources/read', { uri: '__proto__' }, -32_002, 'Resource not found'],
    ['resources/read', {}, -32_602, 'needs "uri"'],
    ['resources/read', { uri: '' }, -32_602, 'needs "uri"'],
    ['resources/read', { uri: {} }, -32_602, 'needs "uri"'],
    ['resources/subscribe', {}, -32_602, 'needs "uri"'],
    ['completion/complete', {}, -32_602, 'reference'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'toString' } }, -32_602, 'Unknown prompt'],
    ['completion/complete', { ref: { type: '__proto__' } }, -32_602, 'reference'],
    ['logging/setLevel', { level: 'loud' }, -32_602, 'not a log level'],
    ['logging/setLevel', {}, -32_602, 'not a log level'],
    ['tools/list', { cursor: 'unknown' }, -32_602, 'cursor'],
    ['tools/list', { cursor: '__proto__' }, -32_602, 'cursor'],
    ['tools/list', { cursor: 5 }, -32_602, 'cursor'],
    ['tools/list', { cursor: null }, -32_602, 'cursor'],
    ['prompts/list', { cursor: 'constructor' }, -32_602, 'cursor'],
    ['resources/list', { cursor: '' }, -32_602, 'cursor'],
    ['unknown/method', {}, -32_601, 'Method not found: unknown/method'],
    ['__proto__', {}, -32_601, 'Method not found: __proto__'],
    ['constructor', {}, -32_601, 'Method not found: constructor'],
    ['', {}, -32_601, 'Method not found'],
  ])('%s with %j is answered %i in its own place', async (method, params, code, text) => {
    const { status, message } = await connection.request(method, params)
    expect(status).toBe(200)
    expect(message.error?.code).toBe(code)
    expect(message.error?.message).toContain(text)
  })

  test('with arguments that the server refuses get the error of the server', async () => {
    const { message } = await connection.request('tools/call', { name: 'good__check', arguments: { n: 'one' } })
    expect(message.error).toEqual({ code: -32_602, message: 'Invalid arguments: n must be a number' })
  })

  test.each([
    '0',
    '-5',
    '1.5',
    '9007199254740991',
    '""',
    '"__proto__"',
    '"größe 😀 \\u0000"',
    JSON.stringify('x'.repeat(100_000)),
  ])('with the id %.40s get it back as it was', async (id) => {
    for (const [method, params] of [
      ['ping', '{}'],
      ['tools/list', '{}'],
      ['tools/call', '{"name":"good__echo","arguments":{"text":"größe"}}'],
      ['tools/call', '{"name":"unknown"}'],
    ]) {
      const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`
      const { message } = await connection.send(body)
      expect(message.id).toBe(JSON.parse(id))
    }
  })

  test('with the same id at the same time are all answered', async () => {
    const call = (text: string) => {
      const params = { name: 'good__echo', arguments: { text } }
      return { jsonrpc: '2.0', id: 'same', method: 'tools/call', params }
    }
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => connection.send(call(text))))
    expect(answers.map(({ message }) => message.result?.content?.[0]?.text)).toEqual(['a', 'b', 'c'])
  })

  test('with members named like those of every object pass them on', async () => {
    const args = '{"text":"a","__proto__":{"polluted":true},"constructor":1}'
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":${args}}}`
    expect((await connection.send(body)).message.result?.content?.[0]?.text).toBe('a')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

test('subscriptions have a limit, and room again when some are given up', async () => {
  const other = await client.connect()
  const subscribe = (index: number) => other.request('resources/subscribe', { uri: `demo://${index}` })
  for (let batch = 0; batch < 20; batch++) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => subscribe(batch * 50 + index)))
  }
  expect((await subscribe(1000)).message.error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('may subscribe to 1000 resources'),
  })
  expect((await subscribe(999)).message.result).toEqual({})
  await other.request('resources/unsubscribe', { uri: 'demo://0' })
  expect((await subscribe(1000)).message.result).toEqual({})
})

describe('initialize', () => {
  const initialize = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'initialize', params })

  test.each([undefined, {}, { protocolVersion: null }, { protocolVersion: 5 }])(
    'with %j is refused',
    async (params) => {
      const { status, message } = await client.send(initialize(params))
      expect(status).toBe(400)
      expect(message).toMatchObject({ id: 1, error: { code: -32_602 } })
    },
  )

  test.each(['1.0', '2099-01-01', '__proto__', ''])(
    'with the revision %j offers the newest that it has',
    async (revision) => {
      const { status, message } = await client.send(initialize({ protocolVersion: revision, capabilities: {} }))
      expect(status).toBe(200)
      expect(message.result?.['protocolVersion']).toBe('2025-11-25')
    },
  )

  test('without an id opens nothing', async () => {
    const { status, headers } = await client.send({ jsonrpc: '2.0', method: 'initialize', params: {} })
    expect(status).toBe(400)
    expect(headers['mcp-session-id']).toBeUndefined()
  })
})

describe('answers to questions that were never asked', () => {
  test.each([1, 'x', '__proto__', null])('with the id %j are taken and forgotten', async (id) => {
    const { status } = await connection.send({ jsonrpc: '2.0', id, error: { code: 1, message: 'no' } })
    expect(status).toBe(202)
  })
})
