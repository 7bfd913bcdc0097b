import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AttemptLimit } from './attempt-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limit = () => new AttemptLimit({ free: 2, waitMs: 1000, maxWaitMs: 5000, memoryMs: 60_000 })

test('the first failures are free, then the wait doubles up to a limit', () => {
  const attempts = limit()
  const waits = Array.from({ length: 7 }, () => (attempts.fail('ada'), attempts.waitMs('ada')))
  expect(waits).toEqual([0, 0, 1000, 2000, 4000, 5000, 5000])
  expect(attempts.waitMs('bob')).toBe(0)
  vi.advanceTimersByTime(5000)
  expect(attempts.waitMs('ada')).toBe(0)
})

test('failures are forgotten after a while, on success, or one by one', () => {
  const attempts = limit()
  for (let count = 0; count < 3; count++) attempts.fail('ada')
  vi.advanceTimersByTime(70_000)
  attempts.fail('ada')
  expect(attempts.waitMs('ada')).toBe(0)
  for (let count = 0; count < 3; count++) attempts.fail('ada')
  attempts.undo('ada')
  expect(attempts.waitMs('ada')).toBe(0)
  attempts.fail('ada')
  expect(attempts.waitMs('ada')).toBe(2000)
  attempts.forget('ada')
  expect(attempts.waitMs('ada')).toBe(0)
})

test('thousands of invented names do not grow it without end', () => {
  const attempts = limit()
  for (let count = 0; count < 30_000; count++) attempts.fail(`name-${count}`)
  for (let count = 0; count < 3; count++) attempts.fail('ada')
  expect(attempts.waitMs('ada')).toBeGreaterThan(0)
})
