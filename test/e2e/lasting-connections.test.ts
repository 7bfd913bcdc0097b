import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { createTemporaryHome } from '../../packages/hub/src/platform/testing/temporary-home.ts'
import { createScratch, readJournal, scriptedConnector } from '../fixtures/scripted-connector.ts'
import { operatorHeaders } from './operator-headers.ts'
import { startHubProcess, type HubProcess } from './start-hub-process.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'
import { textOf, WireClient, type WireMessage, type WireStream } from './wire-client.ts'

const echo = (text: string) => ({ name: 'scripted__echo', arguments: { text } })
const ask = { name: 'every__trigger-elicitation-request', arguments: {} }
const answered = { action: 'accept', content: { name: 'Ada' } }

test('clients go on with their ids after the hub was killed, and after it was stopped', async () => {
  await using scratch = await createScratch()
  const home = await createTemporaryHome()
  const stateHome = join(home.path, 'state')
  let hub: HubProcess = await startHubProcess(home.path)
  const { endpoint } = hub
  const port = Number(endpoint.port)
  const api = async (path: string, body: unknown) => {
    const headers = { ...(await operatorHeaders(stateHome)), 'content-type': 'application/json' }
    const response = await fetch(hub.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([path, response.ok]).toEqual([path, true])
    return (await response.json()) as Record<string, unknown>
  }
  await api('/api/connectors', scriptedConnector('scripted', scratch.file('journal')))
  await api('/api/connectors', stdioConnector('every', [serverProgram('everything'), 'stdio']))
  await api('/api/servers', { name: 'alone', connector: 'scripted' })
  const { key } = (await api('/api/access/keys', { name: 'other' })) as { key: string }

  const plain = await WireClient.connect(endpoint)
  const batching = await WireClient.connect(endpoint, '2025-03-26')
  const deleted = await WireClient.connect(endpoint)
  const watching = await WireClient.connect(endpoint)
  const aside = await WireClient.connect(new URL('/api/mcp/servers/alone/stream', hub.url))
  const wordy = await WireClient.connect(endpoint, '2025-11-25', {
    capabilities: { elicitation: {}, experimental: { words: { many: randomBytes(4000).toString('hex') } } },
  })
  const asking = await WireClient.connect(endpoint, '2025-11-25', { capabilities: { elicitation: {} } })
  const sdk = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } })
  sdk.setRequestHandler(ElicitRequestSchema, () => answered as never)
  await sdk.connect(new StreamableHTTPClientTransport(endpoint))

  for (const { id } of [plain, wordy]) expect([id.length <= 1024, /^[\x21-\x7e]+$/.test(id)]).toEqual([true, true])
  await watching.request('logging/setLevel', { level: 'error' })
  await watching.request('resources/subscribe', { uri: 'scripted://one' })
  await watching.request('resources/subscribe', { uri: 'scripted://two' })
  await watching.request('resources/unsubscribe', { uri: 'scripted://two' })
  expect((await deleted.delete()).status).toBe(200)
  const firstQuestion = await question(asking)
  const streamed = await plain.requestStream('tools/call', {
    name: 'scripted__work',
    arguments: { steps: 1000, stepMs: 50 },
    _meta: { progressToken: 'p' },
  })
  const seen = (await streamed.next())!
  // Ids that were sealed before open with the key that was replaced.
  await api('/api/secret-keys/rotate', {})

  await hub.kill()
  hub = await startHubProcess(home.path, { port })

  // What the ids say is what initialize said: revision, server, capabilities.
  expect(textOf(await plain.request('tools/call', echo('plain')))).toBe('plain')
  const pings = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }))
  expect((await batching.send(pings)).status).toBe(200)
  expect((await plain.send(pings)).status).toBe(400)
  expect(textOf(await aside.request('tools/call', { name: 'echo', arguments: { text: 'aside' } }))).toBe('aside')
  expect(await sdk.callTool(ask)).toMatchObject({
    content: expect.arrayContaining([{ type: 'text', text: expect.stringContaining('Ada') }]),
  })
  await question(wordy)

  // A late answer to a question of the process before is nobody's.
  const lateAnswer = { jsonrpc: '2.0', id: firstQuestion.message.id, result: answered }
  const secondQuestion = await question(asking)
  expect(secondQuestion.message.id).not.toBe(firstQuestion.message.id)
  expect((await asking.send(lateAnswer)).status).toBe(202)
  await asking.send({ ...lateAnswer, id: secondQuestion.message.id, result: { action: 'decline' } })
  expect(JSON.stringify(await secondQuestion.stream.rest())).toContain('declined')

  // The answer to the call under way is lost, which its client is told when it asks for it.
  expect((await (await plain.listen(seen.id)).rest()).at(-1)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining('Send the request again') },
  })

  // What was set is still set, and what may have changed meanwhile is told.
  const stream = await watching.listen('0-1')
  const told = [await stream.next(), await stream.next(), await stream.next(), await stream.next()]
  expect(told.map((event) => event?.message.method).toSorted()).toEqual([
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/tools/list_changed',
  ])
  const subscribed = () =>
    readJournal(scratch.file('journal')).filter(({ event, uri }) => event === 'subscribe' && uri === 'scripted://one')
  await waitFor(() => (subscribed().length >= 2 ? true : undefined))
  const touch = (uri: string) => plain.request('tools/call', { name: 'scripted__touch', arguments: { uri } })
  await touch('scripted://two')
  await touch('scripted://one')
  const updates = await until(stream, ({ params }) => params?.['uri'] === 'scripted://one')
  expect(JSON.stringify(updates)).not.toContain('scripted://two')
  const log = async (level: string) =>
    (await watching.requestStream('tools/call', { name: 'scripted__log', arguments: { level, text: level } })).rest()
  expect([await log('info'), (await log('error')).map(({ method }) => method)]).toEqual([
    [],
    ['notifications/message', undefined],
  ])
  stream.cut()

  // Everything else is unknown, in the same words.
  const { message: unknown } = await plain.as(endpoint, { 'mcp-session-id': 'no-such-id' }).request('ping')
  const other = plain.id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const wrong = {
    deleted,
    cut: plain.as(endpoint, { 'mcp-session-id': plain.id.slice(0, -1) }),
    altered: plain.as(endpoint, { 'mcp-session-id': other }),
    'another server': plain.as(new URL('/api/mcp/servers/alone/stream', hub.url)),
    'another principal': plain.as(endpoint, { authorization: `Bearer ${key}` }),
  }
  for (const [why, client] of Object.entries(wrong)) {
    const { status, message } = await client.request('ping')
    expect([why, status, message?.error]).toEqual([why, 404, unknown?.error])
  }

  await hub[Symbol.asyncDispose]()
  hub = await startHubProcess(home.path, { port })
  expect(textOf(await plain.request('tools/call', echo('again')))).toBe('again')
  expect(await sdk.callTool(echo('again'))).toMatchObject({ content: [{ text: 'again' }] })
  expect((await deleted.request('ping')).status).toBe(404)
  expect((await plain.delete()).status).toBe(200)
  expect((await plain.request('ping')).status).toBe(404)
  await sdk.close()
  await hub[Symbol.asyncDispose]()
  await home.remove()
})

/** Calls a tool that asks, and returns its question. */
async function question(client: WireClient): Promise<{ stream: WireStream; message: WireMessage }> {
  const stream = await client.requestStream('tools/call', ask)
  const [message] = (await until(stream, ({ method }) => method === 'elicitation/create')).slice(-1)
  return { stream, message: message! }
}

async function until(stream: WireStream, isLast: (message: WireMessage) => boolean): Promise<WireMessage[]> {
  const messages: WireMessage[] = []
  for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
    messages.push(event.message)
    if (isLast(event.message)) return messages
  }
  throw new Error(`The stream ended with ${JSON.stringify(messages.at(-1))}.`)
}
