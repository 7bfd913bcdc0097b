import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BatchWriter } from './batch-writer.ts'
import { createLog } from '../log.ts'
import { openStore, type Store } from './store.ts'
import { runSource } from '../testing/source-process.ts'
import { openTestStore, type TestStore } from '../testing/test-store.ts'

const log = createLog('silent')

/** What every store promises, wherever it runs. */
export function describeStore(kind: Store['kind']): void {
  describe(`the ${kind} store`, () => {
    let opened: TestStore
    let store: Store

    beforeAll(async () => {
      opened = await openTestStore(kind)
      store = opened.store
    })
    afterAll(() => opened.close())

    const reopen = async () => {
      await store.stop()
      store = await opened.reopen()
    }

    test('says which kind it is and that it is healthy', async () => {
      expect(store.kind).toBe(kind)
      expect(await store.isHealthy()).toBe(true)
    })

    test('has the schema after opening', async () => {
      const tables = await store.pool.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
      )
      expect(tables.rows.map((row) => row.name)).toEqual([
        'access_rule',
        'access_setting',
        'api_key',
        'audit_event',
        'audit_event_default',
        'auth_access_token',
        'auth_account',
        'auth_assertion',
        'auth_client',
        'auth_client_resource',
        'auth_consent',
        'auth_issuer',
        'auth_key',
        'auth_password_code',
        'auth_provider',
        'auth_refresh_token',
        'auth_resource',
        'auth_revocation',
        'auth_session',
        'auth_state',
        'auth_two_factor',
        'auth_user',
        'auth_verification',
        'binding',
        'capture',
        'catalog_descriptor',
        'catalog_drift',
        'catalog_snapshot',
        'connector',
        'data_key',
        'data_key_wrap',
        'descriptor_snapshot',
        'discovery_install',
        'discovery_setting',
        'downstream_authorization',
        'event',
        'event_default',
        'hub_id',
        'legacy_connection',
        'override_base',
        'pin',
        'pinned_descriptor',
        'schema_status',
        'secret',
        'served_server',
        'session',
        'session_thread',
        'team',
        'team_member',
        'thread_message',
        'tool_override',
        'trace_setting',
      ])
    })

    test('goes on working after all of its connections were cut', async () => {
      // Several at once, so that idle connections are among those that are cut.
      await Promise.all(Array.from({ length: 4 }, () => store.pool.query('select pg_sleep(0.05)')))
      await store.pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
      )
      await expect.poll(() => store.isHealthy(), { timeout: 10_000 }).toBe(true)
    })

    test('a connection that is cut in the middle of a transaction fails that transaction only', async () => {
      const cut = store.db.transaction(async (transaction) => {
        const found = await transaction.execute<{ pid: number }>('select pg_backend_pid() as pid')
        await store.pool.query('select pg_terminate_backend($1)', [found.rows[0]?.pid])
        await sleep(100)
        await transaction.execute('select 1')
      })
      // The driver says it itself when the connection ends while nothing is asked on it.
      await expect(cut).rejects.toThrow(/Failed query|terminating connection/)
      expect(await store.isHealthy()).toBe(true)
    })

    test('does not claim to be healthy after it was stopped', async () => {
      await store.stop()
      expect(await store.isHealthy()).toBe(false)
      store = await opened.reopen()
    })

    test('a graceful stop loses no row that was queued', async () => {
      await store.pool.query('create table queued (number integer primary key)')
      const { pool } = store
      const writer = new BatchWriter<number>({
        name: 'queued',
        log,
        write: async (rows) => void (await pool.query('insert into queued select unnest($1::integer[])', [rows])),
      })
      for (let number = 0; number < 3000; number++) writer.add(number)
      await writer.stop()
      await reopen()
      const count = await store.pool.query('select count(*)::integer as count from queued')
      expect(count.rows).toEqual([{ count: 3000 }])
    })

    test('no acknowledged row is lost when its writer is killed', async () => {
      if (kind === 'embedded') await store.stop()
      const acknowledged: number[] = []
      for (let round = 0; round < 2; round++) {
        const writer = runSource('write-acknowledged.ts', [
          opened.stateHome,
          ...(opened.databaseUrl ? [opened.databaseUrl] : []),
        ])
        await writer.waitForLine('acknowledged')
        await sleep(Math.random() * 200)
        writer.kill('SIGKILL')
        await writer.exited
        acknowledged.push(Number(writer.lines.at(-1)?.split(' ')[1]))
      }
      if (kind === 'embedded') store = await opened.reopen()
      const rows = await store.pool.query<{ number: number }>('select number from acknowledged order by number')
      const numbers = rows.rows.map((row) => row.number)
      const last = acknowledged.at(-1) ?? 0
      expect(acknowledged[0]).toBeLessThan(last)
      expect(numbers.slice(0, last)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    })

    test('work that hangs on a connection does not keep the store from stopping', async () => {
      const client = await store.pool.connect()
      await reopen()
      client.release(true)
      expect(await store.isHealthy()).toBe(true)
    })

    test('four hubs that meet an empty store at once all succeed', async () => {
      await store.pool.query('create database fresh')
      const databaseUrl = urlOf(opened, 'fresh')
      const hubs = await Promise.all(
        Array.from({ length: 4 }, () => openStore({ stateHome: opened.stateHome, databaseUrl, log })),
      )
      for (const hub of hubs) {
        const applied = await hub.pool.query('select count(*)::integer as count from drizzle.__drizzle_migrations')
        expect(applied.rows).toEqual([{ count: migrationCount() }])
        await hub.stop()
      }
    })

    test('a store that a newer version wrote is refused and not changed', async () => {
      await store.pool.query(
        `insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`,
      )
      await store.stop()
      await expect(opened.reopen()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('newer version'),
      })
    })
  })
}

function urlOf({ databaseUrl, store }: TestStore, database: string): string {
  if (databaseUrl) return databaseUrl.replace(/[^/]*$/, database)
  return `postgresql:///${database}?host=${store.pool.options.host}&user=${store.pool.options.user}`
}

/** Each migration is applied once, however many there are. */
function migrationCount(): number {
  const journal = readFileSync(new URL('../../../migrations/meta/_journal.json', import.meta.url), 'utf8')
  return (JSON.parse(journal) as { entries: unknown[] }).entries.length
}
