import { expect, test } from 'vitest'
import { compareFields } from './compare-fields.ts'

test('fields that differ are named by their path, and equal ones are not', () => {
  const before = { content: [{ type: 'text', text: 'one' }], isError: false, gone: 1 }
  const after = { content: [{ type: 'text', text: 'two' }, 'more'], isError: false, come: null }
  expect(compareFields(before, after)).toEqual([
    { path: 'content[0].text', before: 'one', after: 'two' },
    { path: 'content[1]', before: undefined, after: 'more' },
    { path: 'gone', before: 1, after: undefined },
    { path: 'come', before: undefined, after: null },
  ])
  expect(compareFields(before, structuredClone(before))).toEqual([])
})

test('values of another kind differ as a whole, and there is a limit', () => {
  expect(compareFields([1], { 0: 1 })).toEqual([{ path: '', before: [1], after: { 0: 1 } }])
  expect(
    compareFields(
      Array.from({ length: 900 }, () => 1),
      Array.from({ length: 900 }, () => 2),
    ),
  ).toHaveLength(200)
})
