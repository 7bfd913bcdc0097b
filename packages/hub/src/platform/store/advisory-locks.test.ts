import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AdvisoryLocks } from './advisory-locks.ts'
import { openTestStore, type TestStore } from '../testing/test-store.ts'

let opened: TestStore
beforeAll(async () => {
  opened = await openTestStore()
})
afterAll(() => opened.close())

function gate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => (open = resolve))
  return { passed, open: () => open() }
}

test('of all hubs on a store one holds a lock at a time, and others hold other locks meanwhile', async () => {
  const { pool } = opened.store
  const hubs = [new AdvisoryLocks(pool), new AdvisoryLocks(pool)]
  const journal: string[] = []
  const work = (name: string) => async () => {
    journal.push(`begin ${name}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    journal.push(`end ${name}`)
  }
  await Promise.all(['a', 'b', 'c', 'd'].flatMap((name, index) => hubs[index % 2]!.hold('one', work(name))))
  for (let index = 0; index < journal.length; index += 2)
    expect(journal[index + 1]).toBe(journal[index]!.replace('begin', 'end'))
  const held = gate()
  const first = hubs[0]!.hold('one', () => held.passed)
  expect(await hubs[0]!.hold('two', async () => 'free')).toBe('free')
  expect(await hubs[1]!.hold('three', async () => 'free')).toBe('free')
  held.open()
  await first
})

test('work that fails lets go, and its failure is told', async () => {
  const locks = new AdvisoryLocks(opened.store.pool)
  await expect(locks.hold('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await locks.hold('one', async () => 'again')).toBe('again')
  expect(opened.store.pool.idleCount).toBe(opened.store.pool.totalCount)
})

test('a holder whose connection ends has let go, and the next one gets another connection', async () => {
  const { pool } = opened.store
  const [broken, other] = [new AdvisoryLocks(pool), new AdvisoryLocks(pool)]
  const held = gate()
  const begun = gate()
  const work = broken.hold('one', async () => {
    begun.open()
    await held.passed
    return 'done'
  })
  await begun.passed
  const query = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()`
  await pool.query(query)
  expect(await other.hold('one', async () => 'taken over')).toBe('taken over')
  held.open()
  expect(await work).toBe('done')
  expect(await broken.hold('one', async () => 'again')).toBe('again')
})

test('without a store there is no lock', async () => {
  const gone: Pool['connect'] = () => Promise.reject(new Error('gone'))
  const locks = new AdvisoryLocks({ connect: gone })
  await expect(locks.hold('one', async () => 'never')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})
