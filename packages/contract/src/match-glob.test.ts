import { describe, expect, test } from 'vitest'
import { compileGlob, compileGlobs, isGlob, literalLength } from './match-glob.ts'

test.each([
  ['read', 'read'],
  ['*', ''],
  ['*', 'anything'],
  ['**', 'anything'],
  ['read_*', 'read_'],
  ['read_*', 'read_file'],
  ['*_file', 'read_file'],
  ['*a*', 'banana'],
  ['a*b*c', 'a-b-b-c'],
  ['a*a', 'aa'],
  ['?', 'x'],
  ['?', '😀'],
  ['r??d', 'read'],
  ['?*', 'x'],
  ['*?', 'x'],
  ['*?d_*', 'read_file'],
  ['a?*?b', 'axyb'],
  ['*ab?', 'ababx'],
  ['read.file+(x)', 'read.file+(x)'],
  ['größe*', 'größe-1'],
])('%s matches %j', (pattern, name) => {
  expect(compileGlob(pattern)(name)).toBe(true)
})

test.each([
  ['read', 'read_file'],
  ['read', 'READ'],
  ['read_*', 'read'],
  ['*_file', 'read_file_2'],
  ['a*a', 'a'],
  ['ab*bc', 'abc'],
  ['?', ''],
  ['?', 'xy'],
  ['r?d', 'read'],
  ['?*', ''],
  ['a?*?b', 'axb'],
  ['*x?y*', 'xy'],
  ['.*', 'read'],
  ['[a-z]', 'a'],
  ['', 'x'],
])('%s does not match %j', (pattern, name) => {
  expect(compileGlob(pattern)(name)).toBe(false)
})

describe('a pattern', () => {
  test('that is made to be slow is still answered', () => {
    const name = 'a'.repeat(20_000)
    expect(compileGlob(`${'*a'.repeat(1000)}*b`)(name)).toBe(false)
    expect(compileGlob(`${'*a?'.repeat(1000)}*b`)(name)).toBe(false)
  })

  test('can be told from a name, and says how much of it is literal', () => {
    expect([isGlob('read'), isGlob('read*'), isGlob('rea?')]).toEqual([false, true, true])
    expect([literalLength('*'), literalLength('read_*'), literalLength('re?d')]).toEqual([0, 5, 3])
  })
})

test('one of several is enough, none matches nothing', () => {
  expect(compileGlobs(['a', 'b*'])('bc')).toBe(true)
  expect(compileGlobs([])('a')).toBe(false)
})
