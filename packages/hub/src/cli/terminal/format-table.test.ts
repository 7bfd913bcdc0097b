import { expect, test } from 'vitest'

import { formatFields, formatTable } from './format-table.ts'

test('columns are aligned and the last one is not padded', () => {
  const rows = [
    ['NAME', 'STATE'],
    ['files', 'ready'],
    ['a', ''],
  ]
  expect(formatTable(rows)).toBe('NAME   STATE\nfiles  ready\na')
})

test('a line is cut to the width of the terminal', () => {
  expect(formatTable([['a', 'a long description']], 10)).toBe('a  a long…')
})

test('text of a server cannot break out of its cell', () => {
  expect(formatTable([['a', 'one\ntwo\u001B[2J\u001B]0;title\u0007\r three']])).toBe('a  one two three')
})

test('fields are aligned, also those of several lines', () => {
  expect(
    formatFields([
      ['A', 'one\ntwo'],
      ['Long', 'x'],
    ]),
  ).toBe('A     one\n      two\nLong  x')
})
