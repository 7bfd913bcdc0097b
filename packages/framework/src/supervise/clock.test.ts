import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { supervise } from './supervise.ts'

test('a time longer than timers can be does not pass at once', async () => {
  let hasRun = false
  const callOff = systemClock.after(Number.MAX_SAFE_INTEGER, () => (hasRun = true))
  await new Promise<void>((resolve) => void systemClock.after(20, resolve))
  callOff()
  expect(hasRun).toBe(false)
})

test('on the clock of the system a child comes back after its backoff', async () => {
  let starts = 0
  const supervisor = supervise(
    [
      {
        id: 'a',
        start: () => {
          starts += 1
          const done = starts < 3 ? Promise.reject(new Error('broken')) : Promise.resolve()
          return {
            done,
            health: () => ({ status: 'up', connections: 0, inFlight: 0 }),
            drain: async () => {},
            stop: async () => {},
          }
        },
        restart: 'transient',
      },
    ],
    { backoff: () => 1 },
  )
  await supervisor.done
  expect(starts).toBe(3)
})
