import { expect, test } from 'vitest'
import { memoryEventLog } from '../../../store/memory-event-log.ts'
import { memoryStore } from '../../../store/memory-store.ts'
import type { Store } from '../../../store/store.ts'
import { memoryBus } from '../../../registry/memory-bus.ts'
import { on } from '../../../telemetry/events.ts'
import { serveSample } from '../testing/sample.ts'
import { EventReader, initialize, listenOn, post } from '../testing/wire.ts'

const add = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }
const subscribe = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'memo://one' } }

test('another process goes on with a connection, with its subscriptions', async () => {
  const store = memoryStore()
  const bus = memoryBus()
  await using one = await serveSample({ connections: { store }, bus })
  const opened = await initialize(one.url, '2025-06-18')
  expect((await post(one.url, subscribe, opened.headers)).status).toBe(200)

  await using two = await serveSample({ connections: { store }, bus })
  const restored: unknown[] = []
  const stop = on('mcp.connection.restored', ({ connection }) => void restored.push(connection))
  const answers = await Promise.all(
    [10, 11, 12].map(async (id) => (await post(two.url, { ...add, id }, opened.headers)).json()),
  )
  stop()
  expect(answers).toMatchObject([10, 11, 12].map((id) => ({ id, result: { content: [{ text: '3' }] } })))
  expect(restored).toEqual([opened.id])
  expect(two.app.connections.get(opened.id)?.version).toBe('2025-06-18')

  const events = new EventReader(await listenOn(two.url, opened))
  one.app.notify.resourceUpdated('memo://other')
  one.app.notify.resourceUpdated('memo://one')
  expect((await events.message())?.value).toMatchObject({ params: { uri: 'memo://one' } })
  await events.cut()
})

test('nobody goes on with a connection that its client ended', async () => {
  const store = memoryStore()
  await using one = await serveSample({ connections: { store } })
  await using two = await serveSample({ connections: { store } })
  const opened = await initialize(one.url)
  expect((await fetch(two.url, { method: 'DELETE', headers: opened.headers })).status).toBe(200)
  await using three = await serveSample({ connections: { store } })
  expect((await post(three.url, add, opened.headers)).status).toBe(404)
})

test('a connection survives the process that stops, and one that is evicted', async () => {
  const store = memoryStore()
  const opened = await (async () => {
    await using one = await serveSample({ connections: { store, max: 1 } })
    const first = await initialize(one.url)
    const second = await initialize(one.url)
    expect((await post(one.url, add, first.headers)).status).toBe(200)
    return second
  })()
  await using two = await serveSample({ connections: { store } })
  expect((await post(two.url, add, opened.headers)).status).toBe(200)
})

test('a stream that began in another process is resumed from the log', async () => {
  const store = memoryStore()
  const events = memoryEventLog()
  await using one = await serveSample({ connections: { store, events } })
  await using two = await serveSample({ connections: { store, events } })
  const opened = await initialize(one.url)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta: { progressToken: 'p' } } }
  const first = new EventReader(await post(one.url, call, opened.headers))
  const progress = await first.message()
  await first.cut()
  const early = new EventReader(await listenOn(two.url, opened, { 'last-event-id': progress?.id ?? '' }))
  expect(await early.next()).toEqual({ retry: '1000' })
  expect(await early.next()).toBeUndefined()
  one.released.fire()
  await expect
    .poll(async () => {
      const late = new EventReader(await listenOn(two.url, opened, { 'last-event-id': progress?.id ?? '' }))
      await late.message()
      return (await late.message())?.value['id']
    })
    .toBe(1)
})

test('what a store has of another server or principal is not taken', async () => {
  const store = memoryStore()
  const id = crypto.randomUUID()
  const record = {
    server: 'sample',
    version: '2025-06-18',
    client: { capabilities: {} },
    subscriptions: [],
    createdAt: 1,
  }
  await store.save(`connection:sample:${id}`, { ...record, principal: 'somebody' }, { ttlMs: 10_000 })
  await using served = await serveSample({ connections: { store } })
  expect((await post(served.url, add, { 'mcp-session-id': id })).status).toBe(404)
  await store.save(`connection:sample:${id}`, { ...record, server: 'other' }, { ttlMs: 10_000 })
  expect((await post(served.url, add, { 'mcp-session-id': id })).status).toBe(404)
  await store.save(`connection:sample:${id}`, 'nonsense', { ttlMs: 10_000 })
  expect((await post(served.url, add, { 'mcp-session-id': id })).status).toBe(404)
})

test('a store that is broken keeps nobody from being served', async () => {
  const fail = () => Promise.reject(new Error('The store is gone.'))
  const store: Store = { load: fail, save: fail, touch: fail, delete: fail }
  const errors: unknown[] = []
  const stop = on('mcp.error', ({ error }) => void errors.push((error as Error).message))
  await using served = await serveSample({ connections: { store } })
  const opened = await initialize(served.url)
  expect((await post(served.url, add, opened.headers)).status).toBe(200)
  const unknown = await post(served.url, add, { 'mcp-session-id': crypto.randomUUID() })
  expect([unknown.status, unknown.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await fetch(served.url, { method: 'DELETE', headers: opened.headers })).status).toBe(200)
  stop()
  expect(new Set(errors)).toEqual(new Set(['The store is gone.']))
})

test('the record is stored before the answer leaves', async () => {
  const saved: string[] = []
  const inner = memoryStore()
  const store: Store = {
    load: (key) => inner.load(key),
    touch: (key, ttlMs) => inner.touch(key, ttlMs),
    delete: (key) => inner.delete(key),
    save: async (key, value, options) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      saved.push(JSON.stringify((value as { subscriptions: unknown }).subscriptions))
      return inner.save(key, value, options)
    },
  }
  await using served = await serveSample({ connections: { store } })
  const opened = await initialize(served.url)
  expect(saved).toEqual(['[]'])
  await post(served.url, subscribe, opened.headers)
  expect(saved.at(-1)).toBe('["memo://one"]')
})
