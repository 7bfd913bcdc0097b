import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CallTimer } from './call-timer.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('a call ends when its time is over', () => {
  const onEnd = vi.fn<() => void>()
  const timer = new CallTimer(100, onEnd)
  vi.advanceTimersByTime(99)
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onEnd).toHaveBeenCalledOnce()
  timer.end()
})

test('the time that a person takes does not count, even when two are asked at once', async () => {
  const onEnd = vi.fn<() => void>()
  const timer = new CallTimer(100, onEnd)
  vi.advanceTimersByTime(60)
  const answers: (() => void)[] = []
  const ask = () => timer.during(() => new Promise<void>((resolve) => answers.push(resolve)))
  const asked = [ask(), ask()]
  vi.advanceTimersByTime(10_000)
  answers[0]!()
  await asked[0]
  vi.advanceTimersByTime(10_000)
  expect(onEnd).not.toHaveBeenCalled()
  answers[1]!()
  await asked[1]
  vi.advanceTimersByTime(39)
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onEnd).toHaveBeenCalledOnce()
})

test('a call that is over has no timer left, even when a question ends after it', async () => {
  const timer = new CallTimer(100, () => {})
  let answer = () => {}
  const asked = timer.during(() => new Promise<void>((resolve) => (answer = resolve)))
  timer.end()
  answer()
  await asked
  expect(vi.getTimerCount()).toBe(0)
})
