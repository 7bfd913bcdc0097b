import { expect, test } from 'vitest'
import { memoryStore } from './memory-store.ts'
import { describeStore } from './store.contract.ts'

describeStore('memory', () => memoryStore())

const ttlMs = 60_000

test('at its cap the memory store forgets what was not saved or touched for the longest time', async () => {
  const store = memoryStore({ maxEntries: 3 })
  for (const key of ['a', 'b', 'c']) await store.save(key, key, { ttlMs })
  await store.touch('a', ttlMs)
  await store.save('b', 'again', { ttlMs })
  await store.save('d', 'd', { ttlMs })
  expect(store.size).toBe(3)
  expect(await store.load('c')).toBeUndefined()
  for (const key of ['a', 'b', 'd']) expect(await store.load(key)).toBeDefined()
})

test('the memory store keeps no more than its bytes, counting what is replaced and deleted', async () => {
  const store = memoryStore({ maxBytes: 100 })
  for (let index = 0; index < 50; index += 1) await store.save('same', 'x'.repeat(40), { ttlMs })
  await store.save('other', 'x'.repeat(40), { ttlMs })
  expect(store.size).toBe(2)
  await store.delete('same')
  await store.save('third', 'x'.repeat(40), { ttlMs })
  expect(store.size).toBe(2)
  await store.save('fourth', 'x'.repeat(40), { ttlMs })
  expect(await store.load('other')).toBeUndefined()
  expect(store.size).toBe(2)
  await expect(store.save('big', 'x'.repeat(200), { ttlMs })).rejects.toThrow('the store keeps 100 in all')
})

test('the size of the memory store leaves out what expired', async () => {
  let now = 0
  const store = memoryStore({ clock: () => now })
  await store.save('short', 1, { ttlMs: 10 })
  await store.save('long', 1, { ttlMs: 20 })
  now = 9
  expect(store.size).toBe(2)
  now = 10
  expect(store.size).toBe(1)
  now = 20
  expect(store.size).toBe(0)
})

test('the memory store refuses a cap of nothing', () => {
  expect(() => memoryStore({ maxEntries: 0 })).toThrow('maxEntries must be a number from 1')
})
