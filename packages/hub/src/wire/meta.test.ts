import { expect, test } from 'vitest'
import { progressTokenOf } from './call.ts'
import { metaOf } from './meta.ts'

test.each([undefined, null, 1, 'text', [], {}, { _meta: null }, { _meta: [] }, { _meta: 'text' }])(
  '%j carries no metadata',
  (params) => {
    expect(metaOf(params)).toBeUndefined()
  },
)

test('metadata is found as it is', () => {
  const meta = { progressToken: 0, own: {} }
  expect(metaOf({ _meta: meta })).toBe(meta)
})

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
