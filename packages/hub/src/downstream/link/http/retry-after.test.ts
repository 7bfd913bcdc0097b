import { expect, test } from 'vitest'
import { readRetryAfter } from './retry-after.ts'

const now = Date.parse('2026-11-18T00:00:00Z')

test.each([
  [null, null],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['0', 0],
  [' 120 ', 120_000],
  ['Wed, 18 Nov 2026 00:02:00 GMT', 120_000],
  ['Tue, 17 Nov 2026 00:00:00 GMT', 0],
])('Retry-After %j is %j ms', (value, expected) => {
  expect(readRetryAfter(value, now)).toBe(expected)
})
