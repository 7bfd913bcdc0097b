import { createRequire } from 'node:module'
import type { EventView } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const canary = 'canary-capture-5521'

let hub: TestHub
beforeAll(async () => {
  const env = [{ name: 'SOME_TOKEN', value: canary }]
  hub = await startTestHub({ connectors: [stdioConnector('everything', [everything], { env })] })
  await hub.api('POST', '/api/servers', { name: 'watched' })
  await hub.api('PATCH', '/api/traces/capture/watched', { level: 'bodies', maxBodyBytes: 2000 })
})
afterAll(() => hub.stop())

async function traceOf(filter: string): Promise<EventView[]> {
  const finished = await waitFor(async () => {
    const { body } = await hub.api('GET', `/api/traces?kind=call.finished&${filter}`)
    return (body as { events: EventView[] }).events[0]
  })
  const { body } = await hub.api('GET', `/api/traces/${finished.traceId}`)
  return (body as { events: EventView[] }).events
}

async function call(server: string, params: object, headers: Record<string, string> = {}) {
  const path = server === 'facade' ? '/mcp' : `/api/mcp/servers/${server}/stream`
  const name = (params as { name: string }).name
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(hub.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta: meta } }),
  })
  return response.text()
}

test('a server whose bodies are captured tells the whole story of a call, with secrets masked', async () => {
  const traceparent = `00-${'4b'.repeat(16)}-${'a1'.repeat(8)}-01`
  const message = `the token is ${canary} and ${Buffer.from(`user:${canary}`).toString('base64')}`
  const answer = await call(
    'watched',
    { name: 'everything__echo', arguments: { message, password: 'hunter2' } },
    { traceparent },
  )
  // The client gets what its server says; what is kept of it is masked.
  expect(answer).toContain(canary)
  const events = await traceOf('server=watched')
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['message.received', 'route.chosen', 'message.sent', 'call.finished']),
  )
  expect(new Set(events.map(({ traceId }) => traceId))).toEqual(new Set(['4b'.repeat(16)]))
  expect(events.find(({ kind }) => kind === 'call.finished')).toMatchObject({
    parentId: 'a1'.repeat(8),
    principal: 'operator',
    server: 'watched',
    connector: 'everything',
    route: 'mcp:stdio',
    transport: 'stream',
    era: 'modern',
    method: 'tools/call',
    target: 'everything__echo',
    outcome: 'ok',
  })
  const text = JSON.stringify(events)
  expect(text).toContain('the token is ••••')
  expect(text).not.toContain(canary)
  expect(text).not.toContain('hunter2')
  expect(text).not.toContain(Buffer.from(canary).toString('base64').slice(4, -4))
})

test('a body beyond the limit is cut after its secrets were masked', async () => {
  for (let before = 1850; before < 1990; before += 7) {
    await call('watched', { name: 'everything__echo', arguments: { message: 'x'.repeat(before) + canary } })
  }
  const { body } = await hub.api('GET', '/api/traces?server=watched&kind=message.received&limit=50')
  const text = JSON.stringify(body)
  expect(text).toContain('truncated')
  expect(text).not.toContain(canary.slice(0, 8))
})

test('elsewhere a call leaves one event, without bodies', async () => {
  await call('facade', { name: 'everything__echo', arguments: { message: 'quiet words' } })
  const events = await traceOf('server=facade&target=everything__echo')
  expect(events.map(({ kind }) => kind)).toEqual(['call.finished'])
  expect(events[0]).toMatchObject({ requestBytes: expect.any(Number), responseBytes: expect.any(Number) })
  expect(JSON.stringify(events)).not.toContain('quiet words')
  await call('facade', { name: 'everything__none', arguments: {} })
  expect(await traceOf('server=facade&target=everything__none')).toMatchObject([
    { outcome: 'error', errorCode: 'TOOL_NOT_FOUND' },
  ])
})
