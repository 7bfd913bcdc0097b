import { afterAll, beforeAll, expect, test } from 'vitest'
import { metaKeys, modernRevision } from '../../packages/hub/src/wire/index.ts'
import { startExtensionServer, type ExtensionServer } from '../fixtures/start-extension-server.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'
import { WireStream, type WireMessage } from './wire-client.ts'

type Json = Record<string, unknown>

const extensions = { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } }

let hub: TestHub
let servers: ExtensionServer[]

beforeAll(async () => {
  servers = await Promise.all(['one', 'two'].map(startExtensionServer))
  hub = await startTestHub({
    connectors: servers.map(({ url }, index) => ({ name: ['one', 'two'][index]!, transport: 'stream', baseUrl: url })),
  })
})

afterAll(async () => {
  await hub?.stop()
  for (const server of servers ?? []) await server[Symbol.asyncDispose]()
})

function post(method: string, params: Json, name: unknown = params['name'] ?? params['uri'], signal?: AbortSignal) {
  const _meta = {
    [metaKeys.revision]: modernRevision,
    [metaKeys.clientCapabilities]: { extensions },
    traceparent: '00-1-2-01',
  }
  return fetch(hub.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernRevision,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } }),
    signal: signal ?? null,
  })
}

async function ask(method: string, params: Json = {}, name?: unknown): Promise<WireMessage> {
  return (await (await post(method, params, name)).json()) as WireMessage
}

test('a client sees the extensions and experiments of all servers', async () => {
  const { result } = await ask('server/discover')
  expect(result!['capabilities']).toMatchObject({
    extensions: { 'io.modelcontextprotocol/tasks': {}, 'io.modelcontextprotocol/ui': {} },
    experimental: { one: {}, two: {} },
  })
})

test('a tool keeps what extensions say of it, and its app is read from its own server', async () => {
  const { result } = await ask('tools/list')
  const tools = result!['tools'] as Json[]
  const from = (server: string, other: string) => ({ 'x-herma': { server, tool: 'slow', fallbacks: [other] } })
  expect(tools.map(({ name, _meta, execution }) => ({ name, _meta, execution }))).toEqual([
    {
      name: 'one__slow',
      _meta: { ui: { resourceUri: 'ui://one/app' }, ...from('one', 'two') },
      execution: { kept: true },
    },
    {
      name: 'two__slow',
      _meta: { ui: { resourceUri: 'ui://two/app' }, ...from('two', 'one') },
      execution: { kept: true },
    },
  ])
  const read = await ask('resources/read', { uri: 'ui://two/app' })
  expect((read.result!['contents'] as Json[])[0]).toMatchObject({ text: '<h1>two</h1>', _meta: { ui: { csp: {} } } })
})

test('a server hears of the extensions of the client and of its trace', async () => {
  await ask('tools/call', { name: 'one__slow' })
  const { params } = servers[0]!.requests.findLast(({ method }) => method === 'tools/call')!
  expect(params['_meta']).toMatchObject({
    [metaKeys.clientCapabilities]: { extensions },
    traceparent: '00-1-2-01',
  })
})

test('a task is polled, given input and found again at the server that has it', async () => {
  const started = await ask('tools/call', { name: 'two__slow' })
  expect(started.result).toMatchObject({ resultType: 'task', taskId: 'two-task', status: 'input_required' })
  const polled = await ask('tasks/get', { taskId: 'two-task' }, 'two-task')
  expect(polled.result).toMatchObject({ inputRequests: { who: { method: 'elicitation/create' } } })
  const asked = () => servers[0]!.requests.filter(({ method }) => method === 'tasks/get').length
  const before = asked()
  const input = { taskId: 'two-task', inputResponses: { who: { action: 'accept', content: { name: 'ada' } } } }
  expect((await ask('tasks/update', input, 'two-task')).error).toBeUndefined()
  expect((await ask('tasks/get', { taskId: 'two-task' }, 'two-task')).result).toMatchObject({ status: 'completed' })
  // Once it is known where a task is, nobody else is asked.
  expect(asked()).toBe(before)
  expect(servers[1]!.requests.findLast(({ method }) => method === 'tasks/get')!.name).toBe('two-task')
})

test('a task that nobody has is refused as its servers refuse it', async () => {
  expect((await ask('tasks/get', { taskId: 'lost' }, 'lost')).error).toMatchObject({
    code: -32602,
    message: 'Task not found',
  })
})

test('a client that listens for tasks hears of them from the servers that have them', async () => {
  const cut = new AbortController()
  const response = await post(
    'subscriptions/listen',
    { notifications: { toolsListChanged: true, taskIds: ['one-task', 'two-task', 'lost'] } },
    undefined,
    cut.signal,
  )
  const stream = new WireStream(response, cut)
  const acknowledged = (await stream.next())!.message
  expect(acknowledged.method).toBe('notifications/subscriptions/acknowledged')
  expect(acknowledged.params!['_meta']).toEqual({ [metaKeys.subscriptionId]: 7 })
  const { taskIds, ...rest } = acknowledged.params!['notifications'] as Json
  expect(rest).toEqual({ toolsListChanged: true })
  expect(new Set(taskIds as string[])).toEqual(new Set(['one-task', 'two-task']))
  servers[1]!.report('two-task')
  expect((await stream.next())!.message).toMatchObject({
    method: 'notifications/tasks',
    params: { taskId: 'two-task', _meta: { [metaKeys.subscriptionId]: 7 } },
  })
  stream.cut()
})

test('a method of one server is found by asking in turn', async () => {
  expect((await ask('two/own', { say: 'hi' })).result).toMatchObject({ said: 'hi' })
  expect((await ask('three/own')).error).toMatchObject({ code: -32601 })
})
