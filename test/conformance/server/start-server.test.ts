import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { startServer, type ServedEras } from './start-server.ts'

const undos: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (let undo = undos.pop(); undo; undo = undos.pop()) await undo()
})

const modern = { pin: '2026-07-28' }
const eras = [
  ['legacy', 'legacy'],
  ['modern', modern],
] as const

test.each(eras)('a %s client is asked for a model answer and the call goes on with it', async (_, mode) => {
  const client = await connect(await start('both'), mode)
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'test',
    content: { type: 'text', text: 'forty-two' },
  }))
  const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'What is it?' } })
  expect(JSON.stringify(result.content)).toContain('forty-two')
})

test('a legacy client hears that the list of tools changed, and then sees the new tool', async () => {
  const client = await connect(await start('both'), 'legacy')
  const changed = heard(client, 'notifications/tools/list_changed')
  await client.callTool({ name: 'test_trigger_tool_change' })
  await changed
  expect(await toolNames(client)).toContain('test_extra_tool')
})

test('a modern client that listens hears that the list of tools changed, and then sees the new tool', async () => {
  const client = await connect(await start('both'), modern)
  const changed = heard(client, 'notifications/tools/list_changed')
  const subscription = await client.listen({ toolsListChanged: true })
  await client.callTool({ name: 'test_trigger_tool_change' })
  await changed
  await subscription.close()
  expect(await toolNames(client)).toContain('test_extra_tool')
})

test('a legacy client hears of the resource that it subscribed to', async () => {
  const client = await connect(await start('both'), 'legacy')
  const updated = heard(client, 'notifications/resources/updated')
  await client.subscribeResource({ uri: 'test://watched-resource' })
  await client.callTool({ name: 'test_trigger_resource_update' })
  expect(await updated).toMatchObject({ params: { uri: 'test://watched-resource' } })
})

test('a client comes back for an answer whose stream was closed', async () => {
  const client = await connect(await start('legacy'), 'legacy')
  const result = await client.callTool({ name: 'test_reconnection' })
  expect(JSON.stringify(result.content)).toContain('after the stream was closed')
})

test('a server of one era refuses clients of the other', async () => {
  await expect(connect(await start('legacy'), modern)).rejects.toThrow('did not offer pinned protocol version')
  await expect(connect(await start('modern'), 'legacy')).rejects.toThrow('Unsupported protocol version')
})

test('a client that comes after too many others takes the place of the oldest', async () => {
  const url = await start('legacy')
  const oldest = await open(url)
  for (let count = 0; count < 256; count++) await open(url)
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })
  expect((await post(url, ping, { 'mcp-session-id': oldest })).status).toBe(404)
})

test('a request that names another host is refused', async () => {
  const response = await post(await start('both'), '{}', { origin: 'http://evil.example.com' })
  expect(response.status).toBe(403)
})

async function start(era: ServedEras): Promise<string> {
  const server = await startServer({ port: 0, era })
  undos.push(() => server.stop())
  return server.url
}

async function connect(url: string, mode: 'legacy' | { pin: string }): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { sampling: {}, elicitation: {} } },
  )
  undos.push(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}

function heard(client: Client, method: 'notifications/tools/list_changed' | 'notifications/resources/updated') {
  return new Promise<unknown>((resolve) => {
    client.setNotificationHandler(method, (notification) => resolve(notification))
  })
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map((tool) => tool.name)
}

async function open(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } }
  const response = await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const accept = 'application/json, text/event-stream'
  return fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', accept, ...headers } })
}
