import { expect, test } from 'vitest'
import { moveItem } from './use-reorder.ts'

test.each([
  [0, 2, ['b', 'c', 'a', 'd']],
  [3, 0, ['d', 'a', 'b', 'c']],
  [1, 1, ['a', 'b', 'c', 'd']],
])('the item at %i comes to %i', (from, to, after) => {
  expect(moveItem(['a', 'b', 'c', 'd'], from, to)).toEqual(after)
})
