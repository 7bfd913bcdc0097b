import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, test } from 'vitest'
import { memoryEventLog } from '../../../store/memory-event-log.ts'
import { serveSample } from '../testing/sample.ts'
import { EventReader, initialize, listenOn, post } from '../testing/wire.ts'

const withEvents = () => serveSample({ connections: { events: memoryEventLog() } })
const wait = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta: { progressToken: 'p' } } }

test('a client whose socket was cut goes on where its stream broke', async () => {
  await using served = await withEvents()
  const opened = await initialize(served.url)
  const first = new EventReader(await post(served.url, wait, opened.headers))
  expect(await first.next()).toEqual({ retry: '1000' })
  const primer = await first.next()
  expect(primer).toEqual({ id: expect.any(String), data: '' })
  const progress = await first.message()
  expect(progress?.value).toMatchObject({ params: { progress: 1 } })
  await first.cut()

  const second = new EventReader(await listenOn(served.url, opened, { 'last-event-id': progress?.id ?? '' }))
  served.released.fire()
  expect((await second.message())?.value).toMatchObject({ params: { progress: 2 } })
  const answer = await second.message()
  expect(answer?.value).toMatchObject({ id: 1, result: { content: [{ text: 'waited' }] } })
  expect(await second.next()).toBeUndefined()

  const again = new EventReader(await listenOn(served.url, opened, { 'last-event-id': primer?.id ?? '' }))
  expect((await again.message())?.value).toMatchObject({ params: { progress: 1 } })
  expect((await again.message())?.value).toMatchObject({ params: { progress: 2 } })
  expect((await again.message())?.id).toBe(answer?.id)
  expect(await again.next()).toBeUndefined()
  const over = await listenOn(served.url, opened, { 'last-event-id': answer?.id ?? '' })
  expect(over.status).toBe(204)
})

test('the answer that came while a client was away is there when it comes back', async () => {
  await using served = await withEvents()
  const opened = await initialize(served.url)
  const first = new EventReader(await post(served.url, wait, opened.headers))
  const progress = await first.message()
  await first.cut()
  served.released.fire()
  const running = served.app.connections.get(opened.id)
  expect(running).toBeDefined()
  const second = new EventReader(await listenOn(served.url, opened, { 'last-event-id': progress?.id ?? '' }))
  expect((await second.message())?.value).toMatchObject({ params: { progress: 2 } })
  expect((await second.message())?.value).toMatchObject({ id: 1, result: {} })
})

test('the official client resumes by itself', async () => {
  await using served = await withEvents()
  let cut = () => {}
  const cutting = async (input: string | URL, init?: RequestInit) => {
    const response = await fetch(input, init)
    const isCall = typeof init?.body === 'string' && init.body.includes('"wait"')
    if (!isCall || response.body === null) return response
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        cut = () => {
          controller.error(new Error('The network is gone.'))
          void reader.cancel()
        }
      },
      pull: async (controller) => {
        const { value, done } = await reader.read()
        if (!done) controller.enqueue(value)
      },
    })
    return new Response(body, { status: response.status, headers: response.headers })
  }
  const client = new ClientV1({ name: 'c', version: '1' })
  client.onerror = () => {}
  await client.connect(new TransportV1(served.url, { fetch: cutting }))
  const seen: number[] = []
  const call = client.callTool({ name: 'wait' }, undefined, {
    onprogress: ({ progress }) => {
      seen.push(progress)
      if (progress === 1) cut()
      setTimeout(() => served.released.fire(), 50)
    },
  })
  expect((await call).content).toEqual([{ type: 'text', text: 'waited' }])
  expect(seen).toEqual([1, 2])
  await client.close()
})

test('announcements wait for a client that does not listen yet, or not any more', async () => {
  await using served = await withEvents()
  const opened = await initialize(served.url)
  served.app.notify.toolsChanged()
  const first = new EventReader(await listenOn(served.url, opened))
  const heard = await first.message()
  expect(heard?.value).toMatchObject({ method: 'notifications/tools/list_changed' })
  await first.cut()
  await expect
    .poll(async () => {
      served.app.notify.promptsChanged()
      const second = new EventReader(await listenOn(served.url, opened, { 'last-event-id': heard?.id ?? '' }))
      const method = (await second.message())?.value['method']
      await second.cut()
      return method
    })
    .toBe('notifications/prompts/list_changed')
})

test('clients before 2025-11-25 get no event without data', async () => {
  await using served = await withEvents()
  const { headers } = await initialize(served.url, '2025-06-18')
  const events = new EventReader(await post(served.url, wait, headers))
  expect(await events.next()).toEqual({ retry: '1000' })
  expect(await events.next()).toMatchObject({ event: 'message', id: expect.any(String) })
  await events.cut()
})

test('nobody resumes the stream of another connection, or after an event that is not known', async () => {
  await using served = await withEvents()
  const opened = await initialize(served.url)
  const events = new EventReader(await post(served.url, wait, opened.headers))
  const progress = await events.message()
  const other = await initialize(served.url)
  expect((await listenOn(served.url, other, { 'last-event-id': progress?.id ?? '' })).status).toBe(400)
  expect((await listenOn(served.url, opened, { 'last-event-id': 'nonsense' })).status).toBe(400)
  await events.cut()
})

test('a log that fails costs the ids, not the messages', async () => {
  const failing = {
    append: () => Promise.reject(new Error('The disk is full.')),
    streamOf: async () => undefined,
    after: async () => undefined,
  }
  await using served = await serveSample({ connections: { events: failing } })
  const { headers } = await initialize(served.url)
  served.released.fire()
  const events = new EventReader(await post(served.url, wait, headers))
  const first = await events.message()
  expect(first).toMatchObject({ id: undefined, value: { params: { progress: 1 } } })
  await events.message()
  expect((await events.message())?.value).toMatchObject({ id: 1, result: {} })
})
