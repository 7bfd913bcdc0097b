import { expect, test } from 'vitest'
import { BatchWriter, type BatchWriterOptions } from './batch-writer.ts'
import { createLog } from '../log.ts'

const log = createLog('silent')

function createWriter(
  write: (rows: readonly number[]) => void | Promise<void>,
  options?: Partial<BatchWriterOptions<number>>,
) {
  return new BatchWriter<number>({
    name: 'numbers',
    log,
    write: async (rows) => write(rows),
    maxDelayMs: 1,
    ...options,
  })
}

const failure = (code?: string) => Object.assign(new Error(`failed ${code}`), { code })

test('rows are written in order, in batches of the given size', async () => {
  const batches: number[][] = []
  const writer = createWriter((rows) => void batches.push([...rows]), { maxBatch: 3 })
  for (let row = 0; row < 7; row++) writer.add(row)
  await writer.flush()
  expect(batches).toEqual([[0, 1, 2], [3, 4, 5], [6]])
  expect(writer.stats()).toMatchObject({ queued: 0, written: 7, dropped: 0, lastError: null })
})

test('a few rows are written without anybody asking', async () => {
  const written: number[] = []
  const writer = createWriter((rows) => void written.push(...rows))
  writer.add(1)
  await expect.poll(() => written).toEqual([1])
  writer.add(2)
  await expect.poll(() => written).toEqual([1, 2])
})

test('only one batch is under way at a time', async () => {
  let underWay = 0
  let most = 0
  const writer = createWriter(
    async () => {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setImmediate(resolve))
      underWay--
    },
    { maxBatch: 2 },
  )
  for (let row = 0; row < 20; row++) writer.add(row)
  await Promise.all([writer.flush(), writer.flush()])
  expect(most).toBe(1)
})

test('flush waits for the rows before it and not for those after it', async () => {
  const gates: (() => void)[] = []
  const writer = createWriter(() => new Promise<void>((resolve) => gates.push(resolve)), { maxBatch: 1 })
  writer.add(1)
  const first = writer.flush()
  writer.add(2)
  await expect.poll(() => gates.length).toBe(1)
  gates[0]?.()
  await first
  expect(writer.stats()).toMatchObject({ queued: 1, written: 1 })
  await expect.poll(() => gates.length).toBe(2)
  gates[1]?.()
  await writer.stop()
})

test('while the store is away rows wait, and the newest beyond the cap are dropped and counted', async () => {
  let isAway = true
  const written: number[] = []
  const writer = createWriter(
    (rows) => {
      if (isAway) throw failure('ECONNREFUSED')
      written.push(...rows)
    },
    { maxQueued: 3 },
  )
  expect([1, 2, 3, 4, 5].map((row) => writer.add(row))).toEqual([true, true, true, false, false])
  await expect.poll(() => writer.stats().lastError?.message).toBe('failed ECONNREFUSED')
  isAway = false
  await writer.flush()
  expect(written).toEqual([1, 2, 3])
  expect(writer.stats()).toMatchObject({ queued: 0, written: 3, dropped: 2 })
})

test('a row that the store can never take is dropped, the others are written, and who waits is told', async () => {
  const written: number[] = []
  const writer = createWriter((rows) => {
    if (rows.includes(5)) throw failure('22P05')
    written.push(...rows)
  })
  for (let row = 0; row < 10; row++) writer.add(row)
  await expect(writer.flush()).rejects.toThrow('numbers: failed 22P05')
  expect(written).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9])
  writer.add(10)
  await writer.flush()
  expect(writer.stats()).toMatchObject({ queued: 0, written: 10, dropped: 1 })
})

test('stop writes what is queued and refuses what comes later', async () => {
  const written: number[] = []
  const writer = createWriter((rows) => void written.push(...rows), { maxDelayMs: 60_000 })
  writer.add(1)
  await writer.stop()
  expect(writer.add(2)).toBe(false)
  expect(written).toEqual([1])
})

test('stop gives up at its deadline, tells who waits and counts the rest', async () => {
  const writer = createWriter(() => new Promise<void>(() => undefined))
  writer.add(1)
  writer.add(2)
  const flushed = expect(writer.flush()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await writer.stop(20)
  await flushed
  expect(writer.stats()).toMatchObject({ queued: 0, written: 0, dropped: 2 })
})
