import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTcpServer, type TcpServer } from '../../packages/hub/src/platform/testing/test-store.ts'
import { startNode } from '../fixtures/framework/start-node.ts'

let database: TcpServer
beforeAll(async () => {
  database = await startTcpServer()
})
afterAll(() => database.stop())

const text = (answer: { content: unknown }) => (answer.content as { text: string }[])[0]?.text

/** A client whose requests go to whichever process is named at the moment, as behind a load balancer. */
async function connectThrough(place: { url: string }) {
  const transport = new StreamableHTTPClientTransport(new URL(place.url), {
    fetch: (_, init) => fetch(place.url, init),
  })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  return { client, transport }
}

test('a connection that was opened on one process goes on with another after kill -9', async () => {
  const env = { DATABASE_URL: database.databaseUrl }
  await using first = await startNode(env)
  await using second = await startNode(env)
  const place = { url: first.url }
  const { client, transport } = await connectThrough(place)
  const updated: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params.uri))
  await client.connect(transport)
  const id = transport.sessionId
  expect(text(await client.callTool({ name: 'bump' }))).toBe('1')
  await client.subscribeResource({ uri: 'note://one' })

  await first.kill()
  place.url = second.url

  expect(text(await client.callTool({ name: 'bump' }))).toBe('2')
  expect(transport.sessionId).toBe(id)
  await client.callTool({ name: 'touch' })
  await expect.poll(() => updated, { timeout: 20_000 }).toContain('note://one')
  await transport.terminateSession()
  await expect(client.callTool({ name: 'bump' })).rejects.toThrow(/connection|session|404/i)
  await client.close()
})

test('events of a stream that broke with its process are replayed by another', async () => {
  const env = { DATABASE_URL: database.databaseUrl }
  await using first = await startNode(env)
  await using second = await startNode(env)
  const post = (url: string, body: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const opened = await post(first.url, { id: 0, method: 'initialize', params })
  const session = { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) }
  await opened.text()

  const call = await post(
    first.url,
    { id: 1, method: 'tools/call', params: { name: 'slow', arguments: { ms: 60_000 }, _meta: { progressToken: 'p' } } },
    session,
  )
  const reader = call.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('begun')) seen += (await reader.read()).value ?? ''
  const progressId = /id: (\S+)\n(?:event: message\n)?data: \{[^\n]*notifications\/progress/.exec(seen)?.[1]
  await first.kill()
  await reader.cancel().catch(() => {})

  const resumed = await fetch(second.url, {
    headers: { accept: 'text/event-stream', 'last-event-id': String(progressId), ...session },
  })
  expect(resumed.status).toBe(200)
  const later = resumed.body!.pipeThrough(new TextDecoderStream()).getReader()
  let replayed = ''
  while (!replayed.includes('begun')) replayed += (await later.read()).value ?? ''
  expect(replayed).not.toContain('notifications/progress')
  await later.cancel()
})
