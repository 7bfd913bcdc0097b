import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { bearer } from '../../auth/bearer.ts'
import { Denied } from '../../protocol/errors.ts'
import { server } from '../../server/app.ts'
import { sample, serveSample } from './testing/sample.ts'
import { ask, callAdd, EventReader, modernHeaders, modernRequest, post } from './testing/wire.ts'

interface Answer {
  result?: { content: { text: string }[]; resultType?: string; tools?: { name: string }[] }
  error?: { code: number; message: string; data?: unknown }
  id?: unknown
}

const json = async (response: Response) => (await response.json()) as Answer

test('the official client calls tools and hears of progress and changes', async () => {
  await using served = await serveSample()
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StreamableHTTPClientTransport(served.url))
  try {
    const called = await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } })
    expect(called.content).toEqual([{ type: 'text', text: '42' }])
    const seen: number[] = []
    await client.callTool(
      { name: 'count', arguments: { to: 3 } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    )
    expect(seen).toEqual([1, 2, 3])
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    await client.listen({ toolsListChanged: true })
    served.app.remove('tool', 'who')
    await changed
  } finally {
    await client.close()
  }
})

test('an answer with nothing before it is one JSON document with its length', async () => {
  await using served = await serveSample()
  const response = await callAdd(served.url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('mcp-session-id')).toBeNull()
  const text = await response.text()
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  expect(JSON.parse(text)).toMatchObject({ id: 1, result: { content: [{ text: '3' }] } })
})

test('a notification before the answer makes it a stream', async () => {
  await using served = await serveSample()
  const response = await ask(served.url, 'tools/call', {
    name: 'count',
    arguments: { to: 2 },
    _meta: { progressToken: 'p' },
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  const events = new EventReader(response)
  expect(await events.next()).toMatchObject({ event: 'message', data: expect.stringContaining('"progress":1') })
  expect((await events.message())?.value).toMatchObject({ params: { progress: 2 } })
  expect((await events.message())?.value).toMatchObject({ id: 1, result: { content: [{ text: 'counted' }] } })
  expect(await events.next()).toBeUndefined()
})

test('a client that leaves before the answer cancels its request', async () => {
  await using served = await serveSample()
  const leaving = new AbortController()
  const call = ask(served.url, 'tools/call', { name: 'silent' }, { signal: leaving.signal })
  await served.started.promise
  leaving.abort()
  await expect(call).rejects.toThrow('aborted')
  await served.aborted.promise
})

test('a client that leaves in the middle of a stream cancels its request', async () => {
  await using served = await serveSample()
  const response = await ask(served.url, 'tools/call', { name: 'wait', _meta: { progressToken: 1 } })
  const events = new EventReader(response)
  expect((await events.message())?.value).toMatchObject({ params: { progress: 1 } })
  await events.cut()
  await served.aborted.promise
})

test('a notification is accepted without a body', async () => {
  await using served = await serveSample()
  const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
  const response = await post(served.url, notification, { 'mcp-protocol-version': '2026-07-28' })
  expect([response.status, await response.text()]).toEqual([202, ''])
})

const add = modernRequest('tools/call', { name: 'add', arguments: { a: 1, b: 2 } })
const without = (name: string) => Object.fromEntries(Object.entries(modernHeaders(add)).filter(([key]) => key !== name))

test.each([
  ['MCP-Protocol-Version is missing', without('mcp-protocol-version'), -32_020],
  ['Mcp-Method is missing', without('mcp-method'), -32_020],
  ['Mcp-Name is missing', without('mcp-name'), -32_020],
  ['Mcp-Method differs', { ...modernHeaders(add), 'mcp-method': 'tools/list' }, -32_020],
  ['Mcp-Name differs', { ...modernHeaders(add), 'mcp-name': 'sub' }, -32_020],
  ['Mcp-Name is broken Base64', { ...modernHeaders(add), 'mcp-name': '=?base64?x?=' }, -32_020],
  ['MCP-Protocol-Version differs', { ...modernHeaders(add), 'mcp-protocol-version': '2025-11-25' }, -32_020],
])('a request whose %s is refused', async (_, headers, code) => {
  await using served = await serveSample()
  const response = await post(served.url, add, headers)
  expect(response.status).toBe(400)
  expect((await json(response)).error?.code).toBe(code)
})

test('names that no header can carry come in Base64', async () => {
  await using served = await serveSample()
  served.app.resource('memo://größe', {}, () => 'groß')
  const response = await ask(served.url, 'resources/read', { uri: 'memo://größe' })
  expect(await response.text()).toContain('groß')
})

test('arguments that are mirrored into headers must agree with them', async () => {
  await using served = await serveSample()
  const params = { name: 'route', arguments: { region: 'eu' } }
  const good = await ask(served.url, 'tools/call', params, { headers: { 'mcp-param-region': 'eu' } })
  expect((await json(good)).result?.content[0]?.text).toBe('eu')
  const bad = await ask(served.url, 'tools/call', params, { headers: { 'mcp-param-region': 'us' } })
  expect([bad.status, (await json(bad)).error?.code]).toEqual([400, -32_020])
  const missing = await ask(served.url, 'tools/call', params)
  expect([missing.status, (await json(missing)).error?.code]).toEqual([400, -32_020])
})

test('a revision that is not served is answered with those that are', async () => {
  await using served = await serveSample()
  const request = modernRequest('tools/list')
  request.params._meta['io.modelcontextprotocol/protocolVersion'] = '2099-01-01'
  const headers = { ...modernHeaders(request), 'mcp-protocol-version': '2099-01-01' }
  const response = await post(served.url, request, headers)
  expect(response.status).toBe(400)
  expect((await json(response)).error).toMatchObject({
    code: -32_022,
    data: { requested: '2099-01-01', supported: ['2026-07-28'] },
  })
})

test.each([
  ['an unknown method', 'tools/fly', {}, 404, -32_601],
  ['a method of another era', 'resources/subscribe', { uri: 'memo://one' }, 404, -32_601],
  [
    'an envelope without capabilities',
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } },
    400,
    -32_602,
  ],
  ['a filter that is none', 'subscriptions/listen', {}, 400, -32_602],
])('%s has a status of its own', async (_, method, params, status, code) => {
  await using served = await serveSample()
  const response = await ask(served.url, method, params)
  expect([response.status, (await json(response)).error?.code]).toEqual([status, code])
})

test('a capability that the client lacks is told by status 400, what a handler finds wrong by 200', async () => {
  await using served = await serveSample()
  const lacking = await ask(served.url, 'tools/call', { name: 'name' })
  expect([lacking.status, (await json(lacking)).error?.code]).toEqual([400, -32_021])
  const unknown = await ask(served.url, 'tools/call', { name: 'nowhere' })
  expect([unknown.status, (await json(unknown)).error?.code]).toEqual([200, -32_602])
})

test('a question to the person comes as the result', async () => {
  await using served = await serveSample()
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
  const response = await ask(served.url, 'tools/call', { name: 'name', _meta })
  expect((await json(response)).result?.resultType).toBe('input_required')
})

test('a subscription is a stream from its beginning to its end', async () => {
  const served = await serveSample()
  const response = await ask(served.url, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  const events = new EventReader(response)
  expect((await events.message())?.value).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
  served.app.notify.toolsChanged()
  expect((await events.message())?.value).toMatchObject({ method: 'notifications/tools/list_changed' })
  await served.running.stop()
  expect((await events.message())?.value).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  expect(await events.next()).toBeUndefined()
})

const auth = bearer({
  tokens: { reader: { token: 'read-token' }, writer: { token: 'write-token', scopes: ['files:write'] } },
})
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('who lacks a scope is challenged for it, who has none is not let in', async () => {
  await using served = await serveSample({ auth })
  expect((await callAdd(served.url)).status).toBe(401)
  const who = await ask(served.url, 'tools/call', { name: 'who' }, as('read-token'))
  expect((await json(who)).result?.content[0]?.text).toBe('reader')
  const challenged = await ask(served.url, 'tools/call', { name: 'write' }, as('read-token'))
  expect(challenged.status).toBe(403)
  expect(challenged.headers.get('www-authenticate')).toContain('files:write')
  const written = await ask(served.url, 'tools/call', { name: 'write' }, as('write-token'))
  expect((await json(written)).result?.content[0]?.text).toBe('written')
})

test('a handler that finds scopes missing while it runs challenges for them', async () => {
  const app = server({ name: 't', version: '1' }).tool('deep', {}, () => {
    throw new Denied(['deep:read'])
  })
  const running = await app.http({ auth }).listen()
  try {
    const response = await ask(running.url, 'tools/call', { name: 'deep' }, as('read-token'))
    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toContain('deep:read')
  } finally {
    await running.stop()
  }
})

test('an Auth that fails keeps everybody out for now, and says nothing of why', async () => {
  const failing = { authenticate: () => Promise.reject(new Error('secret detail')), challenge: auth.challenge }
  await using served = await serveSample({ auth: failing })
  const response = await callAdd(served.url)
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
})

test('without connections only modern clients are served', async () => {
  await using served = await serveSample({ connections: false })
  expect((await callAdd(served.url)).status).toBe(200)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const legacy = await post(served.url, { jsonrpc: '2.0', id: 7, method: 'initialize', params })
  expect(legacy.status).toBe(400)
  expect(await json(legacy)).toMatchObject({
    id: 7,
    error: { code: -32_022, data: { supported: ['2026-07-28'], requested: '2025-11-25' } },
  })
  expect((await post(served.url, [])).status).toBe(400)
  const get = await fetch(served.url, { headers: { accept: 'text/event-stream' } })
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
})

test('as a fetch handler it streams too, and cancels when the reader does', async () => {
  const { app, aborted } = sample()
  const http = app.http()
  const request = modernRequest('tools/call', { name: 'wait', _meta: { progressToken: 1 } })
  const headers = { 'content-type': 'application/json', ...modernHeaders(request) }
  const made = new Request('http://localhost/mcp', { method: 'POST', headers, body: JSON.stringify(request) })
  const events = new EventReader(await http.fetch(made))
  expect((await events.message())?.value).toMatchObject({ method: 'notifications/progress' })
  await events.cut()
  await aborted.promise
  await http.close()
})
