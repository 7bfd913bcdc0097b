import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { idAt } from '../record/event-id.ts'
import { EventStore } from '../store.ts'
import { Retention } from './retention.ts'
import { PartitionStore } from './store.ts'

const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 16, 12)

let opened: TestStore
let partitions: PartitionStore
let limits = { days: 14, maxBytes: 2 ** 40 }
let retention: Retention

beforeAll(async () => {
  opened = await openTestStore()
  partitions = new PartitionStore(opened.store.pool, 'event')
})
beforeEach(async () => {
  limits = { days: 14, maxBytes: 2 ** 40 }
  for (const each of (await partitions.list()).partitions) await partitions.drop(each)
  await opened.store.pool.query('truncate event')
  const log = createLog('silent')
  retention = new Retention({ store: partitions, days: 1, indexesWords: true, log, limits: () => limits })
  return () => retention.stop()
})
afterAll(() => opened.close())

async function write(at: number, count = 1, text = ''): Promise<void> {
  const line = (index: number) =>
    `${BigInt(idAt(at)) + BigInt(index)}\t2026-01-01T00:00:00Z\tcall.finished${'\t\\N'.repeat(19)}\t{"text":"${text}"}\n`
  await new EventStore(opened.store.pool).append(
    'event',
    Array.from({ length: count }, (_, index) => Buffer.from(line(index))),
  )
}

const ranges = async () =>
  (await partitions.list()).partitions.map(({ from, to }) => [Number(from / 1_000_000n), Number(to / 1_000_000n)])

const count = async (table = 'event') =>
  Number((await opened.store.pool.query(`select count(*) from ${table}`)).rows[0].count)

test('today and tomorrow have a partition, and what came before there was one moves into it', async () => {
  await write(now, 3)
  expect(await count('event_default')).toBe(3)
  await retention.tend(now)
  const today = Math.floor(now / dayMs) * dayMs
  expect(await ranges()).toEqual([
    [today, today + dayMs],
    [today + dayMs, today + 2 * dayMs],
  ])
  expect(await count('event_default')).toBe(0)
  expect(await count()).toBe(3)
})

test('partitions beyond the age are dropped, and so is what strayed', async () => {
  for (const days of [20, 10, 0]) {
    await retention.tend(now - days * dayMs)
    await write(now - days * dayMs, 2)
  }
  await write(now - 40 * dayMs)
  await retention.tend(now)
  expect(await count()).toBe(4)
  limits = { ...limits, days: 5 }
  await retention.tend(now)
  expect(await count()).toBe(2)
  expect(retention.kept).toMatchObject({ partitions: 2, since: Math.floor(now / dayMs) * dayMs })
})

test('a partition that grows is ended early, so that the oldest events make room for new ones', async () => {
  limits = { days: 14, maxBytes: 16_777_216 }
  for (let round = 0; round < 12; round++) {
    await retention.tend(now + round * 60_000)
    await write(now + round * 60_000, 3000, `round ${round} ${'x'.repeat(700)}`)
  }
  await retention.tend(now + 12 * 60_000)
  expect(retention.kept.bytes).toBeLessThanOrEqual(limits.maxBytes)
  expect(retention.kept.partitions).toBeGreaterThan(3)
  const rounds = await opened.store.pool.query<{ round: string }>(
    `select distinct split_part(data->>'text', ' ', 2)::integer as round from event order by 1`,
  )
  // The newest rounds, without a gap.
  expect(rounds.rows.map(({ round }) => Number(round))).toEqual(
    Array.from({ length: rounds.rows.length }, (_, index) => 12 - rounds.rows.length + index),
  )
  expect(retention.droppedPartitions).toBeGreaterThan(0)
  expect(await count('event_default')).toBe(0)
})

test('a partition that is written no more gets an index of its words', async () => {
  await retention.tend(now - 2 * dayMs)
  await write(now - 2 * dayMs, 1, 'needle')
  await retention.tend(now)
  const { rows } = await opened.store.pool.query<{ name: string }>(
    `select indexname as name from pg_indexes where indexname like 'event%words'`,
  )
  expect(rows).toHaveLength(1)
  const found = await new EventStore(opened.store.pool).find('event', { text: 'needle', limit: 5 })
  expect(found).toHaveLength(1)
})

test('two hubs that look after the same store do not get in each other’s way', async () => {
  const other = new Retention({
    store: new PartitionStore(opened.store.pool, 'event'),
    days: 1,
    indexesWords: true,
    log: createLog('silent'),
    limits: () => limits,
  })
  limits = { days: 14, maxBytes: 16_777_216 }
  await write(now, 6000, 'x'.repeat(700))
  await Promise.all([retention.tend(now), other.tend(now), retention.tend(now + 1000), other.tend(now + 1000)])
  expect(await count()).toBe(6000)
})
