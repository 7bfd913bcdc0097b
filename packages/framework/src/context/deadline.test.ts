import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Deadline } from './deadline.ts'

const never = new AbortController().signal

test('two that pause it must both resume it', async () => {
  const deadline = new Deadline(never)
  const ended = new Promise<Error>((resolve) => deadline.start(10, resolve))
  deadline.pause()
  deadline.pause()
  deadline.resume()
  expect(await Promise.race([ended, sleep(60, 'still waiting')])).toBe('still waiting')
  deadline.resume()
  expect((await ended).name).toBe('DeadlineExceeded')
})

test.each([0, Infinity, 2 ** 31])('%d milliseconds are no end, and no end at once either', async (ms) => {
  const deadline = new Deadline(never)
  const ended = new Promise<Error>((resolve) => deadline.start(ms, resolve))
  expect(await Promise.race([ended, sleep(20, 'still waiting')])).toBe('still waiting')
  deadline.stop()
})
