import { expect, test } from 'vitest'
import { TokenBucket } from './token-bucket.ts'

test('a tenth of a minute’s worth comes at once, then one at a time', () => {
  const bucket = new TokenBucket(60, 0)
  expect(Array.from({ length: 7 }, () => bucket.take(0))).toEqual([0, 0, 0, 0, 0, 0, 1000])
  expect(bucket.take(999)).toBe(1)
  expect(bucket.take(1000)).toBe(0)
  expect(bucket.take(1000)).toBe(1000)
})

test.each([1, 7, 60, 600, 10_000])(
  'at %i a minute nobody gets more, and whoever waits as told gets theirs',
  (perMinute) => {
    const random = randomNumbers(perMinute)
    const bucket = new TokenBucket(perMinute, 0)
    const burst = Math.ceil(perMinute / 10)
    let [now, taken, tooMany, waitedInVain] = [0, 0, 0, 0]
    for (let index = 0; index < 5000; index += 1) {
      now += Math.floor((random() * random() * 240_000) / perMinute)
      const waitMs = bucket.take(now)
      const isPatient = waitMs > 0 && random() < 0.2
      if (isPatient) now += waitMs
      if (isPatient && bucket.take(now) > 0) waitedInVain += 1
      if (waitMs === 0 || isPatient) taken += 1
      if (taken > burst + (now * perMinute) / 60_000) tooMany += 1
    }
    expect({ tooMany, waitedInVain }).toEqual({ tooMany: 0, waitedInVain: 0 })
    expect(taken).toBeGreaterThan(burst)
  },
)

test('a clock that is set back gives nothing and takes nothing', () => {
  const bucket = new TokenBucket(10, 1_000_000)
  expect(bucket.take(1_000_000)).toBe(0)
  expect(bucket.take(0)).toBe(6000)
  expect(bucket.take(6000)).toBe(0)
})

test('a change of the rate gives nobody a second burst', () => {
  const bucket = new TokenBucket(100, 0)
  for (let index = 0; index < 10; index += 1) bucket.take(0)
  bucket.change(50, 0)
  expect(bucket.take(0)).toBe(1200)
  bucket.change(200, 0)
  expect(Array.from({ length: 20 }, () => bucket.take(0)).filter((wait) => wait === 0)).toHaveLength(15)
  expect(bucket.isFull(0)).toBe(false)
  expect(bucket.isFull(60_000)).toBe(true)
})

/** The same numbers in every run: https://en.wikipedia.org/wiki/Linear_congruential_generator */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
