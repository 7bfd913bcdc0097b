import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectGarbage, collectWhenIdle } from './idle-collector.ts'

const mb = 1024 * 1024
let busy = 0
let heap = 100 * mb
const collect = vi.fn<() => Promise<void>>(async () => void (heap = 30 * mb))
let stop = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  collect.mockClear()
  stop = collectWhenIdle({ busyShare: () => busy, heapBytes: () => heap, collect })
})

afterEach(() => {
  stop()
  vi.useRealTimers()
})

test('what piled up is given back once nothing happens, and not again until there is more', async () => {
  busy = 0.5
  await vi.advanceTimersByTimeAsync(10_000)
  expect(collect).not.toHaveBeenCalled()
  busy = 0
  await vi.advanceTimersByTimeAsync(2000)
  expect(collect).toHaveBeenCalledTimes(1)
  heap = 37 * mb
  await vi.advanceTimersByTimeAsync(20_000)
  expect(collect).toHaveBeenCalledTimes(1)
  heap = 39 * mb
  await vi.advanceTimersByTimeAsync(2000)
  expect(collect).toHaveBeenCalledTimes(2)
})

test('nothing is collected after the end', async () => {
  busy = 0
  heap = 100 * mb
  stop()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(collect).not.toHaveBeenCalled()
})

test('the process goes on after a collection, and after the next', async () => {
  vi.useRealTimers()
  const dropped = new WeakRef({ text: 'x' })
  await new Promise(setImmediate)
  await collectGarbage()
  await collectGarbage()
  expect(dropped.deref()).toBeUndefined()
})
