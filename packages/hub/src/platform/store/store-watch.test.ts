import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLog } from '../log.ts'
import { startTcpServer, type TcpServer } from '../testing/test-store.ts'
import { StoreWatch } from './store-watch.ts'

let server: TcpServer
let pool: pg.Pool
let watch: StoreWatch

beforeAll(async () => {
  // Without room for a standby, nobody would wait for one.
  server = await startTcpServer({ wal_level: 'replica', max_wal_senders: '1' })
  pool = new pg.Pool({ connectionString: server.databaseUrl, application_name: 'watched' })
  watch = new StoreWatch({ pool, log: createLog('silent'), limitMs: 500 })
})
afterEach(async () => {
  for (const setting of ['default_transaction_read_only', 'synchronous_standby_names'])
    await server.administer(`alter system reset ${setting}`)
  await server.administer('select pg_reload_conf()')
  await vi.waitFor(
    async () => {
      if ((await look()) !== null) throw new Error(`${watch.problem}`)
    },
    { timeout: 10_000 },
  )
})
afterAll(async () => {
  watch.stop()
  await pool.end()
  await server.stop()
})

/** A server takes a moment to read its settings again. */
async function look(): Promise<string | null> {
  await watch.probe()
  return watch.problem
}

async function set(setting: string, value: string): Promise<void> {
  await server.administer(`alter system set ${setting} = '${value}'`)
  await server.administer('select pg_reload_conf()')
}

async function countConnections(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity where application_name = 'watched'`,
  )
  return rows[0]!.count
}

test('a store that only reads is one that cannot be used, although temporary tables may be made there', async () => {
  expect(await look()).toBeNull()
  await set('default_transaction_read_only', 'on')
  await expect
    .poll(look, { timeout: 10_000 })
    .toBe(
      'The store cannot be used: it is read-only. It only reads: DATABASE_URL has to lead to a server that may be written.',
    )
  // It still answers whoever reads.
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('a store that reads and never ends a write is told, and takes one connection for it', async () => {
  // A commit waits for a standby that does not exist.
  await set('synchronous_standby_names', 'nobody')
  await expect.poll(look, { timeout: 10_000 }).toMatch(/^The store cannot be used: it does not answer\./)
  const before = await countConnections()
  for (let round = 0; round < 3; round++) expect(await look()).toMatch(/does not answer/)
  expect(await countConnections()).toBe(before)
})

test('a user who may make no temporary tables is one who may write all the same', async () => {
  await server.administer('revoke temporary on database remote from public, remote')
  expect(await look()).toBeNull()
  await server.administer('grant temporary on database remote to public, remote')
})
