import { createRequire } from 'node:module'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { NewApiKey } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ connectors: [stdioConnector('everything', [everything])] })
})
afterAll(() => hub.stop())

async function makeKey(input: object): Promise<string> {
  const { status, body } = await hub.api('POST', '/api/access/keys', input)
  expect(status).toBe(201)
  return (body as NewApiKey).key
}

async function connect(path: string, headers: Record<string, string>, mode: 'auto' | 'legacy' = 'auto') {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(hub.url + path), { requestInit: { headers } }))
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() })
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const echo = { name: 'everything__echo', arguments: { message: 'hello' } }

describe('a server that wants keys', () => {
  beforeAll(async () => {
    await hub.api('POST', '/api/servers', { name: 'guarded', access: 'required', keyHeader: 'X-Api-Key' })
  })
  const path = '/api/mcp/servers/guarded/stream'

  test.each(['auto', 'legacy'] as const)('serves %s clients with one, in its own header or as bearer', async (mode) => {
    const key = await makeKey({ name: `client-${mode}`, servers: ['guarded'] })
    for (const headers of [{ 'x-api-key': key }, bearer(key)]) {
      await using client = await connect(path, headers, mode)
      expect(await client.callTool(echo)).toMatchObject({ content: [{ text: 'Echo: hello' }] })
    }
    await expect(connect('/mcp', bearer(key), mode)).rejects.toThrow(/not for the server 'facade'|403/)
    await expect(connect(path, {}, mode)).rejects.toThrow(/API key|401|nauthorized/)
  })

  test('refuses a revoked key in the middle of a connection', async () => {
    const key = await makeKey({ name: 'short-lived' })
    await using client = await connect(path, bearer(key), 'legacy')
    await client.callTool(echo)
    expect((await hub.api('DELETE', '/api/access/keys/short-lived')).status).toBe(204)
    await expect(client.callTool(echo)).rejects.toThrow(/not known|401|nauthorized/)
  })
})

test('what a principal does is limited, denied and recorded under its name', async () => {
  const key = await makeKey({ name: 'limited', limits: { callsPerMinute: 20, concurrency: null } })
  const rule = { effect: 'deny', description: 'no sums', when: 'tool.endsWith("get-sum") && arguments.a > 5' }
  const added = await hub.api('POST', '/api/access/rules', rule)
  expect(added.status).toBe(201)
  await using client = await connect('/mcp', bearer(key))
  const sum = (a: number) => client.callTool({ name: 'everything__get-sum', arguments: { a, b: 1 } })
  expect(await sum(1)).toMatchObject({ content: [{ text: expect.stringContaining('2') }] })
  await expect(sum(6)).rejects.toThrow(/no sums.*denies it/)
  // Of two equal keys the rule sees the last one, and the server might take the first.
  const twice = await fetch(hub.endpoint, {
    method: 'POST',
    headers: {
      ...bearer(await makeKey({ name: 'hostile' })),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'everything__get-sum',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"everything__get-sum","arguments":{"a":6,"b":1,"a":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
  })
  expect(await twice.text()).toContain('have the key \\"a\\" twice')
  const explained = await hub.api('POST', '/api/access/explain', {
    principal: 'key:limited',
    server: 'facade',
    target: 'everything__get-sum',
    arguments: { a: 6, b: 1 },
  })
  expect(explained.body).toMatchObject({ allowed: false, why: expect.stringContaining('no sums') })
  const calls = await Promise.allSettled(Array.from({ length: 30 }, () => client.callTool(echo)))
  const refused = calls.filter((call) => call.status === 'rejected').map(({ reason }) => String(reason))
  expect(refused.join()).toMatch(/20 times a minute|429/)
  await expect
    .poll(async () => {
      const { body } = await hub.api('GET', '/api/traces?principal=key:limited&limit=100')
      return (body as { events: { outcome?: string }[] }).events.map(({ outcome }) => outcome)
    })
    .toEqual(expect.arrayContaining(['ok', 'refused']))
})

test('a key that may only read lists everything, and calls what only reads', async () => {
  const key = await makeKey({ name: 'reader', scopes: ['mcp:read'] })
  await using client = await connect('/mcp', bearer(key))
  expect((await client.listTools()).tools.length).toBeGreaterThan(3)
  await expect(client.callTool({ name: 'everything__toggle-simulated-logging', arguments: {} })).rejects.toThrow(
    /required "mcp"/,
  )
  const refused = await fetch(`${hub.url}/api/connectors`, { headers: bearer(key) })
  expect(refused.status).toBe(403)
})

test('the management API is for the operator, who signs a browser in with a link', async () => {
  expect((await fetch(`${hub.url}/api/status`)).status).toBe(401)
  const bad = await fetch(`${hub.url}/mcp`, { method: 'POST', headers: bearer(`hk_${'x'.repeat(43)}`) })
  expect(bad.status).toBe(401)
  await expect
    .poll(async () => JSON.stringify((await hub.api('GET', '/api/audit?kind=access.refused')).body))
    .toContain('This key is not known')
  const { body } = await hub.api('POST', '/api/access/link')
  const opened = await fetch((body as { url: string }).url, { redirect: 'manual' })
  expect(opened.status).toBe(200)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const proof = /data-proof="([^"]+)"/.exec(await opened.text())![1]!
  const status = await fetch(`${hub.url}/api/status`, { headers: { cookie, 'herma-proof': proof } })
  expect(status.status).toBe(200)
  expect((await fetch(`${hub.url}/api/status`, { headers: { cookie } })).status).toBe(401)
  const forged = await fetch(`${hub.url}/api/hub/stop`, {
    method: 'POST',
    headers: { cookie, 'herma-proof': proof, origin: 'https://evil.example' },
  })
  expect(forged.status).toBe(403)
})
