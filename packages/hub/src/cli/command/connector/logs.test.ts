import type { LogLine } from '@herma/contract'
import { expect, test } from 'vitest'

import { newLines } from './logs.ts'

const lines = (text: string): LogLine[] =>
  Array.from(text).map((each) => ({ at: '2026-01-01T00:00:00.000Z', stream: 'stderr', text: each }))

test.each([
  ['abc', 'abc', ''],
  ['abc', 'abcd', 'd'],
  ['abc', 'bcd', 'd'],
  ['abc', 'xyz', 'xyz'],
  ['', 'ab', 'ab'],
  ['aaa', 'aaaa', 'a'],
  ['abab', 'ababab', 'ab'],
  ['abc', '', ''],
])('after %s the window %s brings %s', (before, after, expected) => {
  expect(newLines(lines(before), lines(after))).toEqual(lines(expected))
})
