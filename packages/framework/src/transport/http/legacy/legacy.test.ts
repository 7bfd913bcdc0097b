import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { bearer } from '../../../auth/bearer.ts'
import { McpError } from '../../../protocol/errors.ts'
import { serverOf } from '../../../server/app.ts'
import { on } from '../../../telemetry/events.ts'
import { serveSample } from '../testing/sample.ts'
import { EventReader, initialize, initializeRequest, listenOn, post } from '../testing/wire.ts'

interface Answer {
  id: unknown
  result?: { content: { text: string }[] }
  error?: { code: number; message: string; data?: unknown }
}

const json = async (response: Response) => (await response.json()) as Answer
const call = (name: string, args: object = {}, id: string | number = 1, _meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(_meta && { _meta }) },
})

test('the official client of today speaks to it as to a server of 2025-11-25', async () => {
  await using served = await serveSample()
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  const transport = new StreamableHTTPClientTransport(served.url)
  await client.connect(transport)
  const seen: number[] = []
  const { content } = await client.callTool(
    { name: 'count', arguments: { to: 3 } },
    { onprogress: ({ progress }) => void seen.push(progress) },
  )
  expect([content, seen]).toEqual([[{ type: 'text', text: 'counted' }], [1, 2, 3]])
  expect(served.app.connections.get(transport.sessionId ?? '')?.version).toBe('2025-11-25')
  await transport.terminateSession()
  expect(served.app.connections.size).toBe(0)
  await client.close()
})

test('the official client of last year is asked questions and hears of changes', async () => {
  await using served = await serveSample()
  const client = new ClientV1({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: { name: 'Ada' } }))
  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
  )
  await client.connect(new TransportV1(served.url))
  const { content } = await client.callTool({ name: 'name' })
  expect(content).toEqual([{ type: 'text', text: 'hello Ada' }])
  // The client opens its stream after initialize, without waiting for it.
  const announcing = setInterval(() => served.app.notify.toolsChanged(), 20)
  await changed
  clearInterval(announcing)
  await client.close()
})

test('a connection has an id that every later request names', async () => {
  await using served = await serveSample()
  const { headers, id } = await initialize(served.url)
  expect(id).toMatch(/^[\x21-\x7e]+$/)
  const response = await post(served.url, call('add', { a: 1, b: 2 }), headers)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect((await json(response)).result?.content[0]?.text).toBe('3')

  const without = await post(served.url, call('add'))
  expect([without.status, (await json(without)).id]).toEqual([400, 1])
  const unknown = await post(served.url, call('add'), { ...headers, 'mcp-session-id': crypto.randomUUID() })
  expect(unknown.status).toBe(404)
  const strange = await post(served.url, call('add'), { ...headers, 'mcp-protocol-version': '1999-01-01' })
  expect(strange.status).toBe(400)
  expect((await post(served.url, call('add'), { 'mcp-session-id': id })).status).toBe(200)
})

test('notifications and answers are accepted without a body', async () => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url)
  const notified = await post(served.url, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, headers)
  expect([notified.status, await notified.text()]).toEqual([202, ''])
})

test('a client ends its connection, and then has to begin anew', async () => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url)
  expect((await fetch(served.url, { method: 'DELETE', headers })).status).toBe(200)
  expect((await post(served.url, call('add'), headers)).status).toBe(404)
  expect((await fetch(served.url, { method: 'DELETE', headers })).status).toBe(404)
  expect((await fetch(served.url, { method: 'DELETE' })).status).toBe(400)
})

test('a connection that the server closes is gone for its client, whose requests are answered', async () => {
  await using served = await serveSample()
  const opened = await initialize(served.url)
  const events = new EventReader(await listenOn(served.url, opened))
  const running = post(served.url, call('silent'), opened.headers)
  await served.started.promise
  await served.app.connections.get(opened.id)?.close()
  expect((await json(await running)).error?.code).toBe(-32_000)
  expect(await events.next()).toBeUndefined()
  expect((await post(served.url, call('add'), opened.headers)).status).toBe(404)
})

test('a client that the server refuses gets the reason and no connection', async () => {
  const refused = serverOf({
    serverInfo: () => ({ name: 'closed', version: '1' }),
    init: () => {
      throw new McpError(-32_099, 'Members only.')
    },
    handleRequest: () => ['reply', {}],
  })
  const running = await refused.http().listen()
  try {
    const response = await post(running.url, initializeRequest('2025-11-25'))
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect((await json(response)).error).toEqual({ code: -32_099, message: 'Members only.' })
    expect(refused.connections.size).toBe(0)
  } finally {
    await running.stop()
  }
})

test('announcements come on the stream that was opened last', async () => {
  await using served = await serveSample()
  const opened = await initialize(served.url)
  const first = new EventReader(await listenOn(served.url, opened))
  const second = new EventReader(await listenOn(served.url, opened))
  expect(await first.next()).toBeUndefined()
  served.app.notify.promptsChanged()
  expect((await second.message())?.value).toMatchObject({ method: 'notifications/prompts/list_changed' })
  await second.cut()
})

test('there is no stream without a connection, and none for who does not read events', async () => {
  await using served = await serveSample()
  expect((await fetch(served.url, { headers: { accept: 'text/event-stream' } })).status).toBe(405)
  const opened = await initialize(served.url)
  expect((await listenOn(served.url, opened, { accept: 'text/html' })).status).toBe(406)
})

test('a client that loses its response has not cancelled', async () => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url)
  const leaving = new AbortController()
  const lost = post(served.url, call('silent'), headers, leaving.signal)
  await served.started.promise
  leaving.abort()
  await expect(lost).rejects.toThrow('aborted')
  const isAborted = await Promise.race([
    served.aborted.promise.then(() => true),
    post(served.url, call('add', { a: 1, b: 1 }, 2), headers),
  ])
  expect(isAborted).not.toBe(true)
})

test('a cancelled request ends without an answer', async () => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url)
  const running = post(served.url, call('silent', {}, 5), headers)
  await served.started.promise
  await post(served.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }, headers)
  const response = await running
  expect([response.status, await response.text()]).toEqual([200, ''])
  await served.aborted.promise
})

test('two requests with one id are told apart', async () => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url)
  const first = post(served.url, call('silent', {}, 'same'), headers)
  await served.started.promise
  const second = await post(served.url, call('add', { a: 1, b: 2 }, 'same'), headers)
  expect([second.status, (await json(second)).error?.code]).toEqual([400, -32_600])
  served.released.fire()
  expect((await json(await first)).result?.content[0]?.text).toBe('waited in silence')
})

test('a batch on 2025-03-26 is answered as one array', async () => {
  await using served = await serveSample()
  const sizes: number[] = []
  const stop = on('mcp.batch', ({ size }) => void sizes.push(size))
  const { headers } = await initialize(served.url, '2025-03-26')
  const batch = [
    call('add', { a: 1, b: 2 }, 1),
    { jsonrpc: '2.0', method: 'notifications/x' },
    call('add', { a: 2, b: 2 }, 2),
    7,
  ]
  const response = await post(served.url, batch, headers)
  const answers = (await response.json()) as Answer[]
  expect(answers.map(({ id, result }) => [id, result?.content[0]?.text])).toEqual([
    [null, undefined],
    [1, '3'],
    [2, '4'],
  ])
  const quiet = await post(served.url, [{ jsonrpc: '2.0', method: 'notifications/x' }], headers)
  expect([quiet.status, await quiet.text()]).toEqual([202, ''])
  stop()
  expect(sizes).toEqual([4, 1])
})

test('a batch that says something on the way is answered on a stream', async () => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url, '2025-03-26')
  const batch = [call('count', { to: 1 }, 1, { progressToken: 'p' }), call('add', { a: 2, b: 2 }, 2)]
  const events = new EventReader(await post(served.url, batch, headers))
  expect((await events.message())?.value).toMatchObject({ method: 'notifications/progress' })
  const answers = [(await events.message())?.value['id'], (await events.message())?.value['id']]
  expect(answers.toSorted()).toEqual([1, 2])
  expect(await events.next()).toBeUndefined()
})

test.each([
  ['of another revision', '2025-06-18', [call('add')]],
  ['that is empty', '2025-03-26', []],
  ['that is too long', '2025-03-26', Array.from({ length: 101 }, (_, id) => call('add', {}, id))],
  ['that uses an id twice', '2025-03-26', [call('add'), call('add')]],
])('a batch %s is refused', async (_, version, batch) => {
  await using served = await serveSample()
  const { headers } = await initialize(served.url, version)
  const response = await post(served.url, batch, headers)
  expect([response.status, (await json(response)).error?.code]).toEqual([400, -32_600])
})

test('to another principal a connection does not exist', async () => {
  const auth = bearer({ tokens: { ada: { token: 'ada-token' }, eve: { token: 'eve-token' } } })
  await using served = await serveSample({ auth })
  const { headers } = await initialize(served.url, '2025-11-25', { headers: { authorization: 'Bearer ada-token' } })
  expect((await post(served.url, call('who'), headers)).status).toBe(200)
  const stolen = { ...headers, authorization: 'Bearer eve-token' }
  expect((await post(served.url, call('who'), stolen)).status).toBe(404)
  expect((await fetch(served.url, { method: 'DELETE', headers: stolen })).status).toBe(404)
  const challenged = await post(served.url, call('write'), headers)
  expect([challenged.status, challenged.headers.get('www-authenticate')]).toEqual([
    403,
    expect.stringContaining('files:write'),
  ])
})

test('beyond the cap the longest idle connections make room', async () => {
  await using served = await serveSample({ connections: { max: 10 } })
  const reasons: unknown[] = []
  const stop = on('mcp.connection.closed', ({ reason }) => void reasons.push(reason))
  const opened = await Promise.all(Array.from({ length: 50 }, () => initialize(served.url).catch(() => undefined)))
  stop()
  expect(served.app.connections.size).toBeLessThanOrEqual(10)
  expect(new Set(reasons)).toEqual(new Set(['evicted']))
  const statuses = await Promise.all(
    opened.flatMap((one) =>
      one === undefined
        ? []
        : [post(served.url, call('add', { a: 1, b: 1 }), one.headers).then(({ status }) => status)],
    ),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(statuses.filter((status) => status === 404)).toHaveLength(statuses.length - 10)
})

test('when all connections are in use there is no room', async () => {
  await using served = await serveSample({ connections: { max: 1 } })
  const { headers } = await initialize(served.url)
  const running = post(served.url, call('silent'), headers)
  await served.started.promise
  const response = await post(served.url, initializeRequest('2025-11-25'))
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  served.released.fire()
  expect((await running).status).toBe(200)
})

test('a connection that nobody uses ends, one with an open stream does not', async () => {
  await using served = await serveSample({ connections: { idleMs: 500 } })
  const reasons: unknown[] = []
  const stop = on('mcp.connection.closed', ({ reason }) => void reasons.push(reason))
  const listening = await initialize(served.url)
  const events = new EventReader(await listenOn(served.url, listening))
  const idle = await initialize(served.url)
  await expect.poll(() => served.app.connections.get(idle.id), { timeout: 20_000 }).toBeUndefined()
  expect(served.app.connections.get(listening.id)).toBeDefined()
  expect(reasons).toEqual(['idle'])
  await events.cut()
  await expect.poll(() => served.app.connections.size, { timeout: 20_000 }).toBe(0)
  stop()
})

test('an answer that JSON cannot say is an error, not silence', async () => {
  const odd = serverOf({
    serverInfo: () => ({ name: 'odd', version: '1' }),
    capabilities: () => ({ tools: {} }),
    handleRequest: () => ['reply', { content: [{ type: 'text', text: 1n }] }],
  })
  const stop = on('mcp.error', () => {})
  const running = await odd.http().listen()
  try {
    const { headers } = await initialize(running.url)
    const response = await post(running.url, call('any'), headers)
    expect((await json(response)).error?.code).toBe(-32_603)
  } finally {
    stop()
    await running.stop()
  }
})
