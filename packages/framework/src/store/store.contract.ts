import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { StaleRevision } from '../protocol/errors.ts'
import type { Store } from './store.ts'

const ttlMs = 60_000
let count = 0

/** What every store promises. `open` runs inside each test; the stores that it returns may share their entries. */
export function describeStore(name: string, open: () => Store | Promise<Store>): void {
  // Tests of one suite may share a database.
  const newKey = () => `key ${(count += 1)} of ${process.pid}`

  /** Waits for an entry to go, by the store's own clock. */
  const expectGone = async (store: Store, key: string) => {
    await expect.poll(() => store.load(key), { timeout: 10_000, interval: 20 }).toBeUndefined()
  }

  describe(`the ${name} store`, () => {
    test.each([
      ['an object', { a: [1, 'two', { three: null }], b: false }],
      ['null', null],
      ['a string', 'text'],
      ['an empty string', ''],
      ['a number', 1.5],
      ['U+0000 and half a surrogate pair', { 'k\0': 'a\0b', half: '\ud800', whole: '😀' }],
      ['a large value', { text: 'å'.repeat(3_000_000) }],
    ])('gives back %s as it was saved', async (_, value) => {
      const store = await open()
      const key = newKey()
      const revision = await store.save(key, value, { ttlMs })
      expect(await store.load(key)).toEqual({ value, revision })
    })

    test('shares no objects with its callers', async () => {
      const store = await open()
      const key = newKey()
      const value = { list: [1] }
      await store.save(key, value, { ttlMs })
      value.list.push(2)
      const loaded = (await store.load(key))?.value as typeof value
      expect(loaded).toEqual({ list: [1] })
      loaded.list.push(3)
      expect((await store.load(key))?.value).toEqual({ list: [1] })
    })

    test('knows nothing of a key that was never saved, however strange', async () => {
      const store = await open()
      for (const key of [newKey(), '', 'nul\0', '\udc00', 'k'.repeat(100_000), "' or true --"]) {
        expect(await store.load(key)).toBeUndefined()
        expect(await store.touch(key, ttlMs)).toBe(false)
        await store.delete(key)
      }
    })

    test.each([[''], ['nul\0'], ['\udc00'], ['k'.repeat(513)]])('refuses to save under the key %j', async (key) => {
      const store = await open()
      await expect(store.save(key, 1, { ttlMs })).rejects.toThrow(/^A key must have 1 to 512 characters/)
    })

    test.each([[0], [-1], [Number.NaN], [Number.POSITIVE_INFINITY]])('refuses a ttl of %d', async (wrong) => {
      const store = await open()
      const key = newKey()
      await expect(store.save(key, 1, { ttlMs: wrong })).rejects.toThrow('ttlMs must be a number')
      await expect(store.touch(key, wrong)).rejects.toThrow('ttlMs must be a number')
    })

    test('takes the longest ttl that it allows', async () => {
      const store = await open()
      const key = newKey()
      await store.save(key, 1, { ttlMs: Number.MAX_SAFE_INTEGER })
      expect(await store.load(key)).toMatchObject({ value: 1 })
    })

    test('refuses a value that is no JSON', async () => {
      const store = await open()
      const nothing = undefined as unknown as null
      await expect(store.save(newKey(), nothing, { ttlMs })).rejects.toThrow('A value of type undefined cannot be kept')
    })

    test('gives each save a higher revision', async () => {
      const store = await open()
      const key = newKey()
      const first = await store.save(key, 1, { ttlMs })
      const second = await store.save(key, 2, { ttlMs })
      const third = await store.save(key, 3, { ttlMs, ifRevision: second })
      expect(first).toBeGreaterThan(0)
      expect(second).toBeGreaterThan(first)
      expect(third).toBeGreaterThan(second)
      expect(await store.load(key)).toEqual({ value: 3, revision: third })
    })

    test('saves over the given revision only', async () => {
      const store = await open()
      const key = newKey()
      const old = await store.save(key, 'old', { ttlMs })
      await store.save(key, 'new', { ttlMs })
      await expect(store.save(key, 'late', { ttlMs, ifRevision: old })).rejects.toThrow(StaleRevision)
      expect(await store.load(key)).toMatchObject({ value: 'new' })
    })

    test('revision 0 means that there must be nothing yet', async () => {
      const store = await open()
      const key = newKey()
      await store.save(key, 'first', { ttlMs, ifRevision: 0 })
      await expect(store.save(key, 'second', { ttlMs, ifRevision: 0 })).rejects.toThrow(StaleRevision)
      expect(await store.load(key)).toMatchObject({ value: 'first' })
    })

    test('a revision of a deleted entry does not fit its successor', async () => {
      const store = await open()
      const key = newKey()
      const gone = await store.save(key, 1, { ttlMs })
      await store.delete(key)
      await expect(store.save(key, 2, { ttlMs, ifRevision: gone })).rejects.toThrow(StaleRevision)
      await store.save(key, 3, { ttlMs })
      await expect(store.save(key, 4, { ttlMs, ifRevision: gone })).rejects.toThrow(StaleRevision)
    })

    test.each([
      ['of nothing', false],
      ['of the same revision', true],
    ])('exactly one of 20 concurrent saves %s wins', async (_, exists) => {
      const store = await open()
      const key = newKey()
      const ifRevision = exists ? await store.save(key, 'before', { ttlMs }) : 0
      const saves = Array.from({ length: 20 }, (__, value) => store.save(key, value, { ttlMs, ifRevision }))
      const results = await Promise.allSettled(saves)
      const winner = results.findIndex((result) => result.status === 'fulfilled')
      const lost = results.filter((result) => result.status === 'rejected' && result.reason instanceof StaleRevision)
      expect(lost).toHaveLength(19)
      expect(await store.load(key)).toMatchObject({ value: winner })
    })

    test('20 writers that repeat what was too late lose no change', async () => {
      const store = await open()
      const key = newKey()
      await store.save(key, 0, { ttlMs })
      await Promise.all(Array.from({ length: 20 }, () => increment(store, key)))
      expect(await store.load(key)).toMatchObject({ value: 20 })
    })

    test('forgets an entry after its ttl', async () => {
      const store = await open()
      const key = newKey()
      const revision = await store.save(key, 1, { ttlMs: 1 })
      await expectGone(store, key)
      expect(await store.touch(key, ttlMs)).toBe(false)
      await expect(store.save(key, 2, { ttlMs, ifRevision: revision })).rejects.toThrow(StaleRevision)
      await store.save(key, 3, { ttlMs, ifRevision: 0 })
      expect(await store.load(key)).toMatchObject({ value: 3 })
    })

    test('a touch puts off the expiry and keeps value and revision', async () => {
      const store = await open()
      const [key, other] = [newKey(), newKey()]
      let shortMs = 250
      let revision = await store.save(key, 1, { ttlMs: shortMs })
      // On a busy machine the touch may come too late.
      while (!(await store.touch(key, ttlMs))) revision = await store.save(key, 1, { ttlMs: (shortMs *= 2) })
      await store.save(other, 1, { ttlMs: shortMs })
      await expectGone(store, other)
      expect(await store.load(key)).toEqual({ value: 1, revision })
    })

    test('a touch can bring the expiry nearer', async () => {
      const store = await open()
      const key = newKey()
      await store.save(key, 1, { ttlMs })
      expect(await store.touch(key, 1)).toBe(true)
      await expectGone(store, key)
    })

    test('every save sets the expiry anew', async () => {
      const store = await open()
      const key = newKey()
      await store.save(key, 1, { ttlMs })
      await store.save(key, 2, { ttlMs: 1 })
      await expectGone(store, key)
    })

    test('deletes one entry and no other', async () => {
      const store = await open()
      const [key, other] = [newKey(), newKey()]
      await store.save(key, 1, { ttlMs })
      await store.save(other, 2, { ttlMs })
      await store.delete(key)
      expect(await store.load(key)).toBeUndefined()
      expect(await store.load(other)).toMatchObject({ value: 2 })
    })
  })
}

async function increment(store: Store, key: string): Promise<void> {
  for (;;) {
    const { value, revision } = (await store.load(key)) ?? { value: 0, revision: 0 }
    try {
      await store.save(key, Number(value) + 1, { ttlMs, ifRevision: revision })
      return
    } catch (error) {
      if (!(error instanceof StaleRevision)) throw error
      await sleep(1)
    }
  }
}
