import { expect, onTestFinished, test, vi } from 'vitest'
import { createSweeper } from './sweeper.ts'

test('sweeps once a minute while something is left, and begins again when woken', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let left = 2
  let sweeps = 0
  const sweeper = createSweeper(() => {
    sweeps += 1
    return (left -= 1)
  })
  sweeper.wake()
  sweeper.wake()
  vi.advanceTimersByTime(59_999)
  expect(sweeps).toBe(0)
  vi.advanceTimersByTime(1)
  expect(sweeps).toBe(1)
  vi.advanceTimersByTime(600_000)
  expect(sweeps).toBe(2)
  expect(vi.getTimerCount()).toBe(0)
  left = 1
  sweeper.wake()
  vi.advanceTimersByTime(60_000)
  expect(sweeps).toBe(3)
})

test('does not keep the process alive', () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  createSweeper(() => 0).wake()
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before)
})
