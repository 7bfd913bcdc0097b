import { expect, test } from 'vitest'
import { matchGlobs } from './match-globs.ts'

test.each([
  ['*', 'anything', true],
  ['read_*', 'read_file', true],
  ['read_*', 'write_file', false],
  ['*_file', 'read_file', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'acb', false],
  ['ab*ab', 'ab', false],
  ['get?', 'get1', true],
  ['get?', 'get', false],
  ['echo', 'echo', true],
  ['echo', 'echoes', false],
])('%s and %s: %s', (pattern, name, isMatch) => {
  expect(matchGlobs([pattern])(name)).toBe(isMatch)
})

test('one of several is enough, none matches nothing', () => {
  expect(matchGlobs(['a', 'b*'])('bc')).toBe(true)
  expect(matchGlobs([])('a')).toBe(false)
})
