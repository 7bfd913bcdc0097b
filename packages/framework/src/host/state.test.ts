import { expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../store/memory-store.ts'
import { server } from '../server/app.ts'
import { test as connect } from '../testing/index.ts'
import { connectClient } from '../server/testing/connect-client.ts'

const text = (answer: { content: unknown }) => (answer.content as { text: string }[])[0]?.text

function counting(store = memoryStore(), by?: 'connection' | 'principal') {
  return server({ name: 'counting', version: '1.0.0', store, state: { init: () => ({ n: 0 }), by } })
    .tool('bump', {}, async (_, { state }) => (await state.update(({ n }) => ({ n: n + 1 }))).n)
    .tool('set', { input: z.object({ n: z.number() }) }, async ({ n }, { state }) => state.set({ n }))
    .tool('clear', {}, async (_, { state }) => state.clear())
    .tool('get', {}, async (_, { state }) => (await state.get()).n)
}

test('changes that happen at once are all counted', async () => {
  await using session = await connectClient(counting(), 'legacy')

  await Promise.all(Array.from({ length: 15 }, () => session.client.callTool({ name: 'bump' })))

  expect(text(await session.client.callTool({ name: 'get' }))).toBe('15')
  await session.client.callTool({ name: 'set', arguments: { n: 3 } })
  expect(text(await session.client.callTool({ name: 'get' }))).toBe('3')
  await session.client.callTool({ name: 'clear' })
  expect(text(await session.client.callTool({ name: 'get' }))).toBe('0')
})

test('each connection has a state of its own, unless the state is kept by principal', async () => {
  for (const [by, expected] of [
    ['connection', '0'],
    ['principal', '1'],
  ] as const) {
    const app = counting(memoryStore(), by)
    await using first = await connectClient(app, 'legacy')
    await using second = await connectClient(app, by === 'connection' ? 'legacy' : { pin: '2026-07-28' })
    await first.client.callTool({ name: 'bump' })
    expect(text(await second.client.callTool({ name: 'get' }))).toBe(expected)
  }
})

test('a stored state that no longer fits is an error that says so, not a wrong value', async () => {
  const store = memoryStore()
  const app = server({
    name: 'strict',
    version: '1.0.0',
    store,
    errors: 'expose',
    state: { init: () => ({ n: 0 }), by: () => 'one', schema: z.object({ n: z.number() }) },
  }).tool('get', {}, async (_, { state }) => (await state.get()).n)
  await store.save('state:strict:own:one', { n: 'old' }, { ttlMs: 60_000 })
  await using session = await connectClient(app, 'legacy')

  expect(text(await session.client.callTool({ name: 'get' }))).toMatch(/does not fit its schema: n: /)
})

test('a server without state says how to have one', async () => {
  const app = server({ name: 'none', version: '1.0.0', errors: 'expose' }).tool(
    'get',
    {},
    (_, { state }) => state.get() as never,
  )
  await using session = await connectClient(app, 'legacy')

  expect(text(await session.client.callTool({ name: 'get' }))).toContain('state: { init: () => … }')
})

test('the functions of a state and of a connection can be taken apart', async () => {
  const app = server<number>({ name: 'apart', version: '1.0.0', state: { init: () => 1, by: () => 'all' } }).tool(
    'change',
    {},
    async (_, { state: { get, set, update, clear }, connection: { send, close } }) => {
      await set(5)
      const changed = await update((state) => state + 1)
      await clear()
      await send('news')
      return `${changed} ${await get()} ${typeof close}`
    },
  )
  await using t = await connect(app)
  expect((await t.call('change')).text).toBe('6 1 function')
})
