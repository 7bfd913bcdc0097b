import { expect, test } from 'vitest'
import { progressTokenOf } from './call.ts'

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ progressToken: null }, undefined],
  [{ progressToken: {} }, undefined],
  [{ progressToken: 0 }, 0],
  [{ progressToken: '' }, ''],
])('the progress token of %j is %j', (meta, token) => {
  expect(progressTokenOf(meta)).toBe(token)
})
