import type { Principal } from '@herma/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Events } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { openTestStore, storeKinds, type TestStore } from '../../platform/testing/test-store.ts'
import { operator } from '../../wire/index.ts'
import { ApiKeys } from './api-keys.ts'
import { KeyStore } from './store.ts'

const admin: Principal = { id: 'user:ann', kind: 'user', name: 'ann', role: 'admin', scopes: null, servers: null }

describe.each(storeKinds)('API keys in the %s store', (kind) => {
  let opened: TestStore
  const servers = () => ['facade', 'work']
  const books: ApiKeys[] = []
  const openRegistry = async (isStoreShared = false) => {
    const store = new KeyStore(opened.store.db)
    const keys = new ApiKeys({ store, events: new Events(), log: createLog('silent'), isStoreShared, servers })
    await keys.start()
    books.push(keys)
    return keys
  }
  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(async () => {
    await opened.store.pool.query('truncate api_key')
    return async () => void (await Promise.all(books.splice(0).map((keys) => keys.stop())))
  })
  afterAll(() => opened.close())

  test('a key is shown once, kept as a hash, and known after a restart', async () => {
    const keys = await openRegistry()
    const { key, view } = await keys.add({ name: 'ci', servers: ['facade'], scopes: ['mcp:read'] }, operator)
    expect(view).toMatchObject({ name: 'ci', role: 'member', madeBy: 'operator', lastUsedAt: null })
    expect(JSON.stringify([keys.list(), keys.get('ci')])).not.toContain(key)
    const rows = await opened.store.pool.query('select * from api_key')
    expect(JSON.stringify(rows.rows)).not.toContain(key.slice(10))
    for (const each of [keys, await openRegistry()])
      expect(each.principalOf(key)).toMatchObject({ id: 'key:ci', scopes: ['mcp:read'], servers: ['facade'] })
    expect(keys.principalOf(`${key}x`)).toBeNull()
    expect(keys.principalOf('')).toBeNull()
  })

  test('the last use is shown at once and stored when the hub stops', async () => {
    const keys = await openRegistry()
    const { key } = await keys.add({ name: 'used' }, operator)
    keys.principalOf(key)
    expect(keys.get('used').lastUsedAt).not.toBeNull()
    await keys.stop()
    expect((await openRegistry()).get('used').lastUsedAt).not.toBeNull()
  })

  test('a revoked key opens nothing, here at once and in another hub of the same store soon', async () => {
    const [keys, other] = [await openRegistry(), await openRegistry(true)]
    const { key } = await keys.add({ name: 'gone' }, operator)
    await vi.waitFor(() => expect(other.principalOf(key)).not.toBeNull(), 5000)
    await keys.revoke('gone', operator)
    expect(keys.principalOf(key)).toBeNull()
    await vi.waitFor(() => expect(other.principalOf(key)).toBeNull(), 5000)
    await expect(keys.revoke('gone', operator)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })
  })

  test('an expired key opens nothing', async () => {
    const keys = await openRegistry()
    const { key } = await keys.add({ name: 'short', expiresAt: new Date(Date.now() + 60_000).toISOString() }, operator)
    expect(keys.principalOf(key)).not.toBeNull()
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_001)
    expect(keys.principalOf(key)).toBeNull()
    now.mockRestore()
    const nowhere = keys.add({ name: 'nowhere', servers: ['nope'] }, operator)
    await expect(nowhere).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' })
    const past = keys.add({ name: 'past', expiresAt: '2020-01-01T00:00:00Z' }, operator)
    await expect(past).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('nobody makes a key that may do more than its maker, nor one whose name is taken', async () => {
    const keys = await openRegistry()
    await expect(keys.add({ name: 'more', role: 'owner' }, admin)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(keys.add({ name: 'peer', role: 'admin' }, admin)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await keys.add({ name: 'same', role: 'admin' }, operator)
    await expect(keys.revoke('same', admin)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(keys.add({ name: 'same' }, operator)).rejects.toMatchObject({ code: 'KEY_EXISTS' })
    expect(keys.list().map(({ name }) => name)).toEqual(['same'])
    const narrow: Principal = { ...admin, kind: 'key', id: 'key:same', scopes: ['admin'], servers: ['facade'] }
    for (const wider of [{ servers: null }, { servers: ['work'] }, { servers: ['facade'], scopes: ['mcp' as const] }]) {
      await expect(keys.add({ name: 'wider', ...wider }, narrow)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    }
    const other: Principal = { ...admin, id: 'user:bob', name: 'bob', role: 'member' }
    await expect(keys.revoke('same', other)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await keys.revoke('same', operator)
  })
})
