import { dirname } from 'node:path'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../conformance/server/start-server.ts'
import { modernStdioConnector } from '../fixtures/modern-stdio-connector.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { callWithProgress, clientKinds, type ClientKind, type McpClient } from './mcp-client.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'
import { BridgeProcess, connectV1, connectV2, type BridgePlace } from './stdio-bridge-process.ts'

let hub: TestHub
let scratch: Scratch
let wire: Awaited<ReturnType<typeof startServer>>
let place: BridgePlace

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub()
  place = { folder: dirname(hub.stateHome), args: ['--no-start'] }
  const everything = [serverProgram('everything'), 'stdio']
  wire = await startServer({ port: 0, era: 'modern' })
  await Promise.all([
    hub.add(stdioConnector('everything', everything)),
    hub.add(stdioConnector('own', everything, { options: { isolation: 'connection' } })),
    hub.add(scriptedConnector('scripted', scratch.file('journal'))),
    hub.add(modernStdioConnector('modern')),
    hub.add({ name: 'wire', transport: 'stream', baseUrl: wire.url }),
  ])
})

afterAll(async () => {
  await hub?.stop()
  await wire?.stop()
  await scratch[Symbol.asyncDispose]()
})

const connect = (kind: ClientKind): Promise<McpClient> =>
  kind === 'v1' ? connectV1(place) : connectV2(place, kind === 'v2 auto' ? 'auto' : 'legacy')
const textOf = async (call: Promise<Record<string, unknown>>) =>
  ((await call)['content'] as { text: string }[]).map(({ text }) => text).join('\n')
const journal = () => readJournal(scratch.file('journal'))

describe.each(clientKinds)('a client of the kind %s', (kind) => {
  test('sees through the bridge what it sees at the endpoint', async () => {
    const [bridged, direct] = await Promise.all([
      connect(kind),
      kind === 'v1' ? hub.connectV1() : hub.connectV2(kind === 'v2 auto' ? 'auto' : 'legacy'),
    ])
    const look = async (
      client: Pick<McpClient, 'listTools' | 'listResources' | 'listResourceTemplates' | 'listPrompts'>,
    ) => [
      await client.listTools(),
      await client.listResources(),
      await client.listResourceTemplates(),
      await client.listPrompts(),
    ]
    const [seen, wanted] = [await look(bridged), await look(direct)]
    expect(seen).toEqual(wanted)
    expect(JSON.stringify(seen)).toContain('everything__echo')
    const read = { uri: 'scripted://one' }
    expect(await bridged.readResource(read)).toEqual(await (direct as McpClient).readResource(read))
    const prompt = { name: 'everything__simple-prompt' }
    expect(await bridged.getPrompt(prompt)).toEqual(await (direct as McpClient).getPrompt(prompt))
  })

  test('calls tools and hears of their progress', async () => {
    const client = await connect(kind)
    const echo = { name: 'scripted__echo', arguments: { text: 'zwölf\u2028 lines\nand a tab\t' } }
    expect(await textOf(client.callTool(echo))).toBe('zwölf\u2028 lines\nand a tab\t')
    const seen: number[] = []
    // The SDKs drop progress that comes in one piece with the answer, so the steps are far apart.
    const work = { name: 'scripted__work', arguments: { steps: 2, stepMs: 500 } }
    const call = callWithProgress(client, work, ({ progress }) => void seen.push(progress))
    expect(await textOf(call as Promise<Record<string, unknown>>)).toBe('worked 2 steps')
    expect(seen[0]).toBe(1)
  })

  test('gets the error of a tool that does not exist', async () => {
    const client = await connect(kind)
    await expect(client.callTool({ name: 'nothing' })).rejects.toThrow(/Unknown tool: "nothing"/)
  })
})

test.each(clientKinds)('a call that a client of the kind %s cancels is cancelled at the server', async (kind) => {
  const client = await connect(kind)
  const before = journal().length
  const leaving = new AbortController()
  const hold = { name: 'scripted__hold', arguments: {} }
  const options = { signal: leaving.signal }
  const call =
    kind === 'v1'
      ? (client as Awaited<ReturnType<typeof connectV1>>).callTool(hold, undefined, options)
      : (client as unknown as Awaited<ReturnType<typeof connectV2>>).callTool(hold, options)
  const started = await waitFor(() =>
    journal()
      .slice(before)
      .find(({ name }) => name === 'hold'),
  )
  leaving.abort('enough')
  await expect(call).rejects.toThrow(/enough/)
  await waitFor(() =>
    journal()
      .slice(before)
      .find(({ event, requestId }) => event === 'cancelled' && requestId === started.id),
  )
  expect(await textOf(client.callTool({ name: 'scripted__echo', arguments: { text: 'still there' } }))).toBe(
    'still there',
  )
})

test('a cancellation that follows its request at once reaches the server, and the request is never answered', async () => {
  const bridge = new BridgeProcess(place)
  await bridge.initialize()
  const before = journal().length
  const id = bridge.begin('tools/call', { name: 'scripted__hold', arguments: {} })
  bridge.notify('notifications/cancelled', { requestId: id })
  const modernId = bridge.begin('tools/call', { name: 'scripted__hold', arguments: {} }, 'modern')
  await waitFor(() =>
    journal()
      .slice(before)
      .find(({ name }) => name === 'hold'),
  )
  bridge.notify('notifications/cancelled', { requestId: modernId })
  await waitFor(() => {
    const entries = journal().slice(before)
    const [held, cancelled] = [
      entries.filter(({ name }) => name === 'hold'),
      entries.filter(({ event }) => event === 'cancelled'),
    ]
    return held.length === cancelled.length ? true : undefined
  })
  expect(await bridge.request('ping')).toMatchObject({ result: {} })
  expect(bridge.messages.filter((message) => message.id === id || message.id === modernId)).toEqual([])
})

test('progress comes in order and before the answer', async () => {
  const bridge = new BridgeProcess(place)
  await bridge.initialize()
  const work = { name: 'scripted__work', arguments: { steps: 20, stepMs: 1 } }
  const before = bridge.messages.length
  await bridge.request('tools/call', { ...work, _meta: { progressToken: 'p' } })
  const seen = bridge.messages.slice(before).map(({ params }) => params?.['progress'] ?? 'answer')
  expect(seen).toEqual([...Array.from({ length: 20 }, (_, index) => index + 1), 'answer'])
})

test('a legacy client is asked for samples and answers, on one pipe with everything else', async () => {
  const client = await connectV1(place, { sampling: {}, elicitation: { form: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
    model: 'a model',
    role: 'assistant',
    content: { type: 'text', text: `thought about ${params.maxTokens} tokens` },
  }))
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'ada' } }))
  const sample = client.callTool({
    name: 'own__trigger-sampling-request',
    arguments: { prompt: 'think', maxTokens: 7 },
  })
  const elicit = client.callTool({ name: 'own__trigger-elicitation-request', arguments: {} })
  expect(await textOf(sample)).toContain('thought about 7 tokens')
  expect(await textOf(elicit)).toContain('- Name: ada')
})

test('a modern client is asked by a modern server', async () => {
  const client = await connectV2(place, 'auto', { elicitation: { form: {} } })
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'grace' } }))
  expect(await textOf(client.callTool({ name: 'modern__ask', arguments: {} }))).toBe('Hello grace, step 1.')
})

test('a legacy client hears of resources, lists and log messages', async () => {
  const client = await connectV1(place)
  const heard: unknown[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params.data))
  await client.setLoggingLevel('info')
  await client.subscribeResource({ uri: 'scripted://one' })
  await waitFor(() => journal().find(({ event, uri }) => event === 'subscribe' && uri === 'scripted://one'))
  await client.callTool({ name: 'scripted__touch', arguments: { uri: 'scripted://one' } })
  await client.callTool({ name: 'scripted__log', arguments: { level: 'error', text: 'a word' } })
  await client.callTool({ name: 'scripted__grow', arguments: { name: 'one-more' } })
  await waitFor(() => (new Set(heard).size === 3 ? true : undefined))
  expect(new Set(heard)).toEqual(new Set(['scripted://one', 'a word', 'tools']))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('scripted__one-more')
})

test('a modern client hears of what it listens to, until it closes the subscription', async () => {
  const client = await connectV2(place, 'auto')
  const heard: unknown[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'))
  const subscription = await client.listen({ resourceSubscriptions: ['scripted://two'], toolsListChanged: true })
  const isAbout = (wanted: string) => journal().some(({ event, uri }) => event === wanted && uri === 'scripted://two')
  await waitFor(() => (isAbout('subscribe') ? true : undefined))
  await client.callTool({ name: 'scripted__touch', arguments: { uri: 'scripted://two' } })
  await client.callTool({ name: 'scripted__grow', arguments: { name: 'another' } })
  await waitFor(() => (heard.length === 2 ? true : undefined))
  expect(new Set(heard)).toEqual(new Set(['scripted://two', 'tools']))
  await subscription.close()
  await waitFor(() => (isAbout('unsubscribe') ? true : undefined))
})

test('both eras share a pipe', async () => {
  const bridge = new BridgeProcess(place)
  await bridge.initialize('2025-06-18')
  const answers = await Promise.all([
    bridge.request('tools/call', { name: 'scripted__echo', arguments: { text: 'old' } }),
    bridge.request('tools/call', { name: 'scripted__echo', arguments: { text: 'new' } }, 'modern'),
  ])
  expect(
    answers.map(({ result }) => [result!['resultType'], (result!['content'] as { text: string }[])[0]!.text]),
  ).toEqual([
    [undefined, 'old'],
    ['complete', 'new'],
  ])
})

test('a parameter that a tool wants mirrored in a header is mirrored for a client without headers', async () => {
  const client = await connectV2(place, 'auto')
  const call = { name: 'wire__test_header_parameter', arguments: { region: 'Zürich ' } }
  expect(await textOf(client.callTool(call))).toBe('region=Zürich ')
  expect(await textOf(client.callTool(call))).toBe('region=Zürich ')
})

test('a client of 2025-03-26 gets one array for a batch, and others a refusal for each of its requests', async () => {
  const old = new BridgeProcess(place)
  await old.initialize('2025-03-26')
  const ping = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' })
  old.send([ping('a'), { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, ping('b')])
  await Promise.all([old.answer('a'), old.answer('b')])
  const arrays = old.lines.filter((line) => line.startsWith('['))
  expect(arrays.map((line) => new Set((JSON.parse(line) as { id: string }[]).map(({ id }) => id)))).toEqual([
    new Set(['a', 'b']),
  ])
  const newer = new BridgeProcess(place)
  await newer.initialize('2025-11-25')
  newer.send([ping('a'), ping('b')])
  const answers = await Promise.all([newer.answer('a'), newer.answer('b')])
  expect(answers.map(({ error }) => error?.code)).toEqual([-32600, -32600])
})

test('the connection at the hub ends with the client', async () => {
  const connections = async () => ((await hub.api('GET', '/api/status')).body as { connections: number }).connections
  const before = await connections()
  const bridge = new BridgeProcess(place)
  await bridge.initialize()
  await waitFor(async () => ((await connections()) > before ? true : undefined))
  expect(await bridge.close()).toBe(0)
  expect(await connections()).toBe(before)
})
