import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { CreateMessageRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { bearer } from '../../../auth/bearer.ts'
import { server } from '../../../server/app.ts'
import { serveSample } from '../testing/sample.ts'
import { EventReader, initializeRequest, post } from '../testing/wire.ts'

const open = async (url: URL, headers: Record<string, string> = {}) => {
  const response = await fetch(new URL('/sse', url), { headers: { accept: 'text/event-stream', ...headers } })
  const events = new EventReader(response)
  const endpoint = await events.next()
  return { events, endpoint, messages: new URL(endpoint?.data ?? '', url) }
}

test('the official client of 2024-11-05 calls tools, is asked, and hears of changes', async () => {
  const app = server({ name: 't', version: '1', versions: ['2024-11-05'] }).tool('ask', {}, async (_, context) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }]
    const { content } = await context.sample('one', { messages, maxTokens: 10 })
    return JSON.stringify(content)
  })
  const running = await app.http({ sse: true }).listen()
  const client = new Client({ name: 'c', version: '1' }, { capabilities: { sampling: {} } })
  const content = { type: 'text' as const, text: 'Hello' }
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ role: 'assistant' as const, model: 'm', content }))
  const changed = new Promise<void>((resolve) =>
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
  )
  try {
    await client.connect(new SSEClientTransport(new URL('/sse', running.url)))
    expect([...app.connections][0]).toMatchObject({ kind: 'sse', version: '2024-11-05' })
    expect((await client.callTool({ name: 'ask' })).content).toEqual([{ type: 'text', text: JSON.stringify(content) }])
    app.notify.toolsChanged()
    await changed
    await client.close()
    await expect.poll(() => app.connections.size).toBe(0)
  } finally {
    await running.stop()
  }
})

test('the stream begins with the address for messages, and answers come on it', async () => {
  await using served = await serveSample({ sse: { path: '/events', messages: '/send' } })
  const events = new EventReader(await fetch(new URL('/events', served.url)))
  const endpoint = await events.next()
  expect(endpoint).toMatchObject({ event: 'endpoint', data: expect.stringMatching(/^\/send\?sessionId=[\da-f-]+$/) })
  const messages = new URL(endpoint?.data ?? '', served.url)
  const accepted = await post(messages, initializeRequest('2024-11-05'))
  expect(accepted.status).toBe(202)
  expect((await events.message())?.value).toMatchObject({ result: { protocolVersion: '2024-11-05' } })
  await post(messages, {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'add', arguments: { a: 1, b: 2 } },
  })
  expect((await events.message())?.value).toMatchObject({ id: 2, result: { content: [{ text: '3' }] } })
  expect((await post(messages, '{')).status).toBe(400)
  expect((await post(messages, { jsonrpc: '1.0' })).status).toBe(400)
  expect((await post(messages, [{ jsonrpc: '2.0', id: 3, method: 'ping' }])).status).toBe(400)
  expect((await post(new URL('/send?sessionId=unknown', served.url), {})).status).toBe(404)
  await events.cut()
  await expect.poll(async () => (await post(messages, { jsonrpc: '2.0', id: 4, method: 'ping' })).status).toBe(404)
})

test('a batch over HTTP+SSE is answered one by one', async () => {
  await using served = await serveSample({ sse: true })
  const { events, messages } = await open(served.url)
  await post(messages, initializeRequest('2025-03-26'))
  await events.message()
  const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
  expect((await post(messages, batch)).status).toBe(202)
  const ids = [(await events.message())?.value['id'], (await events.message())?.value['id']]
  expect(ids.toSorted()).toEqual([1, 2])
  await events.cut()
})

test('another principal cannot post to a stream', async () => {
  const auth = bearer({ tokens: { ada: { token: 'ada-token' }, eve: { token: 'eve-token' } } })
  await using served = await serveSample({ sse: true, auth })
  const { messages, events } = await open(served.url, { authorization: 'Bearer ada-token' })
  const init = initializeRequest('2024-11-05')
  expect((await post(messages, init)).status).toBe(401)
  expect((await post(messages, init, { authorization: 'Bearer eve-token' })).status).toBe(404)
  expect((await post(messages, init, { authorization: 'Bearer ada-token' })).status).toBe(202)
  await events.cut()
})

test('streams count among the connections and their cap', async () => {
  await using served = await serveSample({ sse: true, connections: { max: 1 } })
  const first = await open(served.url)
  const second = await open(served.url)
  expect(await first.events.next()).toBeUndefined()
  await second.events.cut()
})

test('without the option there is no such endpoint', async () => {
  await using served = await serveSample()
  expect((await fetch(new URL('/sse', served.url))).status).toBe(404)
})
