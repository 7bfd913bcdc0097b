import { expect, test } from 'vitest'
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
