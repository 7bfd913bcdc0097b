import { expect, test } from 'vitest'

import { nearest } from './nearest.ts'

const tools = ['files__read_file', 'files__write_file', 'memory__search', 'web_search']

test.each([
  ['files__read_fil', 'files__read_file'],
  ['files__raed_file', 'files__read_file'],
  ['search', 'memory__search'],
  ['Write_File', 'files__write_file'],
  ['something_else_entirely', undefined],
  ['', undefined],
])('%s means %s', (word, expected) => {
  expect(nearest(word, tools)).toBe(expected)
})
