import type { HubStatus } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { initialize, textOf, toolNames, WireClient, type WireMessage, type WireStream } from './wire-client.ts'

let hub: TestHub
let scratch: Scratch
let quiet: { client: WireClient; call: Promise<WireStream>; listening: WireStream }

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub()
  await hub.add(scriptedConnector('scripted', scratch.file('journal')))
  // Silence takes its time, so it begins here and is looked at by the last test.
  const client = await WireClient.connect(hub.endpoint)
  const call = client.requestStream('tools/call', { name: 'scripted__hold', arguments: {} })
  quiet = { client, call, listening: await client.listen() }
})

afterAll(async () => {
  await quiet?.client.delete()
  await hub?.stop()
  await scratch[Symbol.asyncDispose]()
})

const work = (steps: number, stepMs: number) => ({
  name: 'scripted__work',
  arguments: { steps, stepMs },
  _meta: { progressToken: 'mine' },
})

/** Progress numbers in order, and the text of the answer. */
function summarise(messages: readonly WireMessage[]): unknown[] {
  return messages.map((message) => message.params?.['progress'] ?? textOf({ message }))
}

describe('a legacy connection', () => {
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'is opened with revision %s',
    async (revision) => {
      const { message } = await initialize(hub.endpoint, revision)
      expect(message?.result?.['protocolVersion']).toBe(revision)
      const client = await WireClient.connect(hub.endpoint, revision)
      expect(toolNames(await client.request('tools/list'))).toContain('scripted__echo')
      const params = { name: 'scripted__echo', arguments: { text: revision } }
      expect(textOf(await client.request('tools/call', params))).toBe(revision)
    },
  )

  test('is offered the newest legacy revision when it asks for one that nobody knows', async () => {
    const { message } = await initialize(hub.endpoint, '1999-12-31')
    expect(message?.result?.['protocolVersion']).toBe('2025-11-25')
  })

  test('gets notifications that belong to no request on its GET stream, of which there is one', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const first = await client.listen()
    const second = await client.listen()
    expect(await first.rest()).toEqual([])
    await hub.add(scriptedConnector('arriving', scratch.file('arriving')))
    expect((await second.next())?.message.method).toMatch(/^notifications\/(tools|resources)\/list_changed$/)
    second.cut()
  })

  test('gets on its next stream what happened while it had none', async () => {
    const client = await WireClient.connect(hub.endpoint)
    await client.request('tools/call', { name: 'scripted__grow', arguments: { name: 'late-leaf' } })
    await waitFor(async () => {
      const { message } = await client.request('tools/list')
      return JSON.stringify(message).includes('late-leaf') ? true : undefined
    })
    const stream = await client.listen()
    expect((await stream.next())?.message.method).toBe('notifications/tools/list_changed')
    stream.cut()
  })

  test('resumes the stream of a call under way where its socket was cut: nothing lost, nothing twice', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const stream = await client.requestStream('tools/call', work(8, 100))
    const before = [(await stream.next())!, (await stream.next())!]
    stream.cut()
    const rest = await (await client.listen(before[1]!.id)).rest()
    const all = [...before.map(({ message }) => message), ...rest]
    expect(summarise(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 'worked 8 steps'])
  })

  test('fetches the end of a call that finished while it was away', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const stream = await client.requestStream('tools/call', work(4, 50))
    const first = (await stream.next())!
    stream.cut()
    // The hold in the background stays; this call is over when it is the only one.
    await waitFor(async () => ((await hub.health('scripted')).inFlight === 1 ? true : undefined))
    const rest = await (await client.listen(first.id)).rest()
    expect(summarise([first.message, ...rest])).toEqual([1, 2, 3, 4, 'worked 4 steps'])
  })

  test('fetches again what was written to a socket that broke before the last bytes arrived', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const stream = await client.requestStream('tools/call', work(3, 10))
    const first = (await stream.next())!
    const written = await stream.rest()
    expect(await (await client.listen(first.id)).rest()).toEqual(written)
    expect(summarise(written)).toEqual([2, 3, 'worked 3 steps'])
  })

  test('finds no stream when it wants to resume from nowhere', async () => {
    const client = await WireClient.connect(hub.endpoint)
    for (const place of ['99-1', 'nowhere', '99-gone']) {
      const stream = await client.listen(place)
      expect([place, stream.status]).toEqual([place, 405])
    }
  })

  test('is told that the answer is gone when it asks for that of a request', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const stream = await client.requestStream('tools/call', work(2, 10))
    const { id } = (await stream.next())!
    await stream.rest()
    const gone = await client.listen(`99${id!.slice(id!.indexOf('-'))}`)
    expect([gone.status, await gone.rest()]).toEqual([
      200,
      [{ jsonrpc: '2.0', id: 1, error: { code: -32600, message: expect.stringContaining('Send the request again') } }],
    ])
  })

  test('gets a new stream when the events of the one before are not known', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const stream = await client.listen('0-17')
    expect(stream.status).toBe(200)
    stream.cut()
  })

  test('is gone after DELETE, so that its id is not found and the client starts again', async () => {
    const client = await WireClient.connect(hub.endpoint)
    expect((await client.delete()).status).toBe(200)
    const answer = await client.request('tools/list')
    expect(answer.status).toBe(404)
    expect(answer.message?.error?.message).toContain('initialize again')
    expect((await client.listen()).status).toBe(404)
    expect((await client.delete()).status).toBe(404)
  })

  test('ends the calls under way when it is deleted', async () => {
    const client = await WireClient.connect(hub.endpoint)
    const held = () => readJournal(scratch.file('journal')).filter(({ name }) => name === 'hold')
    const before = held().length
    const call = client.request('tools/call', { name: 'scripted__hold', arguments: {} })
    const { id } = await waitFor(() => held()[before])
    await client.delete()
    expect((await call).message).toBeNull()
    await waitFor(() => readJournal(scratch.file('journal')).find(({ requestId }) => requestId === id))
  })
})

describe('a hub with few connections', () => {
  let small: TestHub

  beforeAll(async () => {
    small = await startTestHub({ maxConnections: 2, connectionIdleMs: 200 })
  })
  afterAll(() => small.stop())

  const connections = async () => ((await small.api('GET', '/api/status')).body as HubStatus).connections

  test('frees the memory of a connection that is idle, which goes on all the same, and keeps one that listens', async () => {
    const idle = await WireClient.connect(small.endpoint)
    const busy = await WireClient.connect(small.endpoint)
    const stream = await busy.listen()
    await waitFor(async () => ((await connections()) === 1 ? true : undefined))
    expect((await idle.request('ping')).status).toBe(200)
    expect((await busy.request('ping')).status).toBe(200)
    stream.cut()
    await Promise.all([idle.delete(), busy.delete()])
    expect((await idle.request('ping')).status).toBe(404)
  })

  test('refuses one too many with 503 and a time to come back, until one leaves', async () => {
    const clients = await Promise.all([WireClient.connect(small.endpoint), WireClient.connect(small.endpoint)])
    const streams = await Promise.all(clients.map((client) => client.listen()))
    const refusal = await initialize(small.endpoint, '2025-11-25')
    expect(refusal.status).toBe(503)
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refusal.message?.error?.message).toContain('2 connections')
    await clients[0].delete()
    expect((await initialize(small.endpoint, '2025-11-25')).status).toBe(200)
    for (const stream of streams) stream.cut()
  })
})

describe('a client of 2026-07-28', () => {
  test('discovers the hub and calls without any connection', async () => {
    const client = new WireClient(hub.endpoint)
    const discovered = await client.requestModern('server/discover')
    expect(discovered.headers.get('mcp-session-id')).toBeNull()
    expect(discovered.message?.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28', '2025-11-25']),
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    })
    const listed = await client.requestModern('tools/list')
    expect(listed.message?.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    const params = { name: 'scripted__echo', arguments: { text: 'alone' } }
    const called = await client.requestModern('tools/call', params)
    expect(called.message?.result).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'alone' }] })
  })
})

test('a list of thousands comes in pages that make the whole', async () => {
  await hub.add(scriptedConnector('many', scratch.file('many'), { args: ['--tools', '2500', '--page', '700'] }))
  const client = await WireClient.connect(hub.endpoint)
  const names: string[] = []
  let cursor: unknown
  do {
    const page = await client.request('tools/list', cursor === undefined ? undefined : { cursor })
    expect(toolNames(page).length).toBeLessThanOrEqual(1000)
    names.push(...toolNames(page))
    cursor = page.message?.result?.['nextCursor']
  } while (cursor !== undefined)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => name.startsWith('many__tool-'))).toHaveLength(2500)
  const called = await client.request('tools/call', { name: 'many__tool-2500', arguments: {} })
  expect(textOf(called)).toBe('tool-2500')
  const refused = await client.request('tools/list', { cursor: 'bm9uc2Vuc2U' })
  expect(refused.message?.error).toMatchObject({ code: -32602, message: expect.stringContaining('cursor') })
  expect((await hub.api('DELETE', '/api/connectors/many')).status).toBe(204)
})

test('silent streams carry signs of life, and a call that takes long becomes one', async () => {
  const call = await quiet.call
  expect(call.headers.get('content-type')).toBe('text/event-stream')
  expect(await call.nextComment()).toBe(': keep-alive')
  expect(await quiet.listening.nextComment()).toBe(': keep-alive')
  const client = await WireClient.connect(hub.endpoint)
  await client.request('tools/call', { name: 'scripted__release', arguments: {} })
  expect(summarise(await call.rest())).toEqual(['released'])
})
