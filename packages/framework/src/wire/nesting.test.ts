import { expect, test } from 'vitest'
import { isNestedTooDeep, maxNesting } from './nesting.ts'

const lists = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)

test.each([
  ['lists', lists(maxNesting + 1)],
  ['objects', '{"a":'.repeat(maxNesting + 1) + '1' + '}'.repeat(maxNesting + 1)],
  ['lists that never end', '['.repeat(5000)],
  ['lists behind text', `{"a":"\\"[[[","b":${lists(maxNesting)}}`],
])('%s can be nested too deep', (_, json) => {
  expect(isNestedTooDeep(Buffer.from(json))).toBe(true)
})

test.each([
  ['nothing', ''],
  ['the last level that is allowed', lists(maxNesting, '"x"'.repeat(1))],
  ['many levels one after another', `[${Array.from({ length: 5000 }, () => '[[]]').join()}]`],
  ['brackets in text', JSON.stringify('['.repeat(5000))],
  ['brackets in text behind escaped quotes', JSON.stringify('"\\"'.repeat(2000) + '['.repeat(5000))],
  ['text that never ends', `"${'['.repeat(5000)}`],
  ['text that ends with an escape', `"${'['.repeat(5000)}\\`],
])('%s is not', (_, json) => {
  expect(isNestedTooDeep(Buffer.from(json))).toBe(false)
})

test('what is allowed can be written again', () => {
  const value: unknown = JSON.parse(lists(maxNesting))
  expect(JSON.stringify(value)).toBe(lists(maxNesting))
})
