import { expect, test } from 'vitest'
import { isReadable } from './answers.ts'

test.each([
  'Invalid arguments for tool add: a: expected number, received string',
  "The argument 'a' must be a number, not text.",
])('readable: %s', (text) => {
  expect(isReadable(text)).toBe(true)
})

test.each([
  ['nothing at all', ''],
  ['a text without the argument', 'Invalid arguments: expected number'],
  ['data instead of words', 'Invalid a: [{"expected":"number","code":"invalid_type","path":["a"]}]'],
  ['data over several lines', 'Invalid a, number:\n[\n  {\n    "path": ["a"]'],
  ['a stack', 'a is no number\n    at parse (file.js:1:1)'],
])('not readable: %s', (_, text) => {
  expect(isReadable(text)).toBe(false)
})
