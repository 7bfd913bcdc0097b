import { describe, expect, test } from 'vitest'

let attempts = 0

describe('a suite', () => {
  test('passes', () => expect(1).toBe(1))
  test('is unsteady', () => expect(++attempts).toBe(2))
})
test('fails always', () => expect(1).toBe(2))
test.skipIf(true)('is skipped', () => expect(1).toBe(1))
test('skips itself', ({ skip }) => {
  skip('no program')
  expect(1).toBe(1)
})
