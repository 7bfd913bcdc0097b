import { expect, test } from 'vitest'
import { findOddText } from './find-odd-text.ts'

test.each([
  ['a text', 'a\0', []],
  ['a field', { a: [{ b: 'x' }, { b: '\0' }] }, ['a', '1', 'b']],
  ['a name of a field', { a: { 'x\0': 1 } }, ['a', '?']],
  ['half of a pair', { a: '\ud83d' }, ['a']],
  ['the other half', ['\udc00'], ['0']],
])('%s is found where it stands', (_, value, path) => {
  expect(findOddText(value)).toMatchObject({ path, message: expect.stringMatching(/NUL|surrogate/) })
})

test('what is nested very deeply is looked through', () => {
  let deep: unknown = 'a\0'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(findOddText(deep)?.path).toHaveLength(100_000)
})

test('everything else passes', () => {
  for (const value of [null, undefined, 1, true, '', 'ü\u0001😀', { a: ['b', { c: null }] }])
    expect(findOddText(value)).toBeNull()
})
