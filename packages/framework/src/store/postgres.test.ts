import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openTestStore, type TestStore } from '../../../hub/src/platform/testing/test-store.ts'
import { on } from '../telemetry/events.ts'
import { describeEventLog } from './event-log.contract.ts'
import { type PostgresBackendOptions, postgresBackend } from './postgres.ts'
import { describeStore } from './store.contract.ts'

const ttlMs = 60_000
const patience = { timeout: 10_000 }
const message: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/x' }

describe('on PostgreSQL', () => {
  let database: TestStore
  beforeAll(async () => {
    database = await openTestStore()
  })
  afterAll(() => database.close())

  const open = async (options?: PostgresBackendOptions) => {
    const backend = postgresBackend(database.store.pool, options)
    onTestFinished(() => backend.stop())
    await backend.prepare()
    return backend
  }
  const count = async (table: string) => {
    const { rows } = await database.store.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)
    return rows[0]?.n
  }

  describeStore('PostgreSQL', async () => (await open()).store)
  describeEventLog('PostgreSQL', async (maxEventsPerStream) => (await open({ maxEventsPerStream })).events)

  test('several processes may prepare the same tables at once', async () => {
    const backends = Array.from({ length: 8 }, () =>
      postgresBackend(database.store.pool, { schema: 'race', prefix: 'at_once_' }),
    )
    onTestFinished(async () => void (await Promise.all(backends.map((backend) => backend.stop()))))
    await Promise.all(backends.map((backend) => backend.prepare()))
    await backends[0]?.store.save('key', 1, { ttlMs })
    expect(await backends[7]?.store.load('key')).toMatchObject({ value: 1 })
    expect(await count('race.at_once_entry')).toBe(1)
  })

  test('what one backend keeps, another one on the same database has', async () => {
    const [one, two] = [await open({ prefix: 'two_' }), await open({ prefix: 'two_' })]
    const revision = await one.store.save('key', 'of one', { ttlMs })
    await two.store.save('key', 'of two', { ttlMs, ifRevision: revision })
    expect(await one.store.load('key')).toMatchObject({ value: 'of two' })
    const first = await one.events.append('stream', message)
    const second = await two.events.append('stream', message)
    expect(await two.events.after(first)).toEqual([{ id: second, message }])
  })

  test('backends with different prefixes keep apart', async () => {
    const [one, other] = [await open({ prefix: 'one_' }), await open({ prefix: 'other_' })]
    await one.store.save('key', 1, { ttlMs })
    expect(await other.store.load('key')).toBeUndefined()
  })

  test('a role that may only read and write can prepare and use tables that exist', async () => {
    const { pool } = database.store
    await open({ schema: 'guarded' })
    await pool.query(`create role limited; grant usage on schema guarded to limited;
      grant select, insert, update, delete on all tables in schema guarded to limited;
      grant usage on all sequences in schema guarded to limited`)
    const client = await pool.connect()
    onTestFinished(async () => {
      await client.query('reset role')
      client.release()
    })
    await client.query('set role limited')
    const backend = postgresBackend(client, { schema: 'guarded' })
    onTestFinished(() => backend.stop())
    await backend.prepare()
    await backend.store.save('key', 1, { ttlMs, ifRevision: 0 })
    expect(await backend.store.load('key')).toMatchObject({ value: 1 })
    await backend.events.append('stream', message)
    expect(await backend.sweep()).toBe(0)
  })

  test('sweeps what expired, with the events of its streams, and nothing else', async () => {
    const backend = await open({ prefix: 'sweep_' })
    const brief = await open({ prefix: 'sweep_', eventTtlMs: 1 })
    await backend.store.save('stays', 1, { ttlMs })
    const stays = await backend.events.append('stays', message)
    await Promise.all(Array.from({ length: 1200 }, (_, n) => backend.store.save(`goes ${n}`, 1, { ttlMs: 1 })))
    for (let n = 0; n < 60; n += 1) await brief.events.append(`goes ${n}`, message)
    const goes = await brief.events.append('goes', message)
    await expect.poll(() => brief.events.streamOf(goes), patience).toBeUndefined()
    expect(await brief.events.after(goes)).toBeUndefined()
    expect((await Promise.all([backend.sweep(), brief.sweep()])).reduce((sum, n) => sum + n)).toBe(1261)
    expect([await count('sweep_entry'), await count('sweep_stream'), await count('sweep_event')]).toEqual([1, 1, 1])
    expect(await backend.store.load('stays')).toMatchObject({ value: 1 })
    expect(await backend.events.streamOf(stays)).toBe('stays')
  })

  test('sweeps by itself until it is stopped, and reports a sweep that failed', async () => {
    const errors: unknown[] = []
    onTestFinished(on('mcp.error', (event) => errors.push(event.error)))
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const backend = await open({ prefix: 'timer_' })
    await backend.prepare()
    expect(vi.getTimerCount()).toBe(1)
    await backend.store.save('goes', 1, { ttlMs: 1 })
    await expect.poll(() => backend.store.load('goes'), patience).toBeUndefined()
    vi.advanceTimersByTime(60_000)
    await expect.poll(() => count('timer_entry'), patience).toBe(0)
    await database.store.pool.query('drop table timer_entry')
    vi.advanceTimersByTime(60_000)
    await expect.poll(() => errors, patience).toMatchObject([{ message: 'relation "timer_entry" does not exist' }])
    await backend.stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a capped stream keeps its cap in the table, not only in what it tells', async () => {
    const { events } = await open({ prefix: 'cap_', maxEventsPerStream: 3 })
    await Promise.all(Array.from({ length: 20 }, () => events.append('stream', message)))
    await events.append('stream', message)
    expect(await count('cap_event')).toBe(3)
  })

  test('without its tables it says what to do', async () => {
    const { store, events } = postgresBackend(database.store.pool, { prefix: 'missing_' })
    await expect(store.load('key')).rejects.toThrow('Call prepare() of the backend once before serving.')
    await expect(events.append('stream', message)).rejects.toThrow('Call prepare() of the backend once before serving.')
  })

  test.each([
    { schema: 'a"; drop table x; --' },
    { prefix: "a'b" },
    { prefix: '' },
    { schema: 'Upper' },
    { prefix: 'x'.repeat(41) },
  ])('refuses the names %j', (options) => {
    expect(() => postgresBackend(database.store.pool, options)).toThrow('is no name for PostgreSQL')
  })
})
