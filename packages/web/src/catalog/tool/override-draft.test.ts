import { expect, test } from 'vitest'
import { changesOf, OverrideForm, toDraft } from './override-draft.ts'

test('only what changed is sent, and what was taken back as null', () => {
  const before = { description: 'old', title: 'T', tags: ['a'] }
  expect(changesOf(before, { description: 'new', tags: ['a'], enabled: false })).toEqual({
    description: 'new',
    title: null,
    enabled: false,
  })
  expect(changesOf(null, {})).toEqual({})
})

test('schemas are edited as text and come back as they were', () => {
  const stored = { inputSchema: { type: 'object' }, description: 'd' }
  expect(OverrideForm.parse(toDraft(stored))).toEqual(stored)
})

test('text that is no JSON is told with its line', () => {
  const read = OverrideForm.safeParse({ inputSchema: '{\n"a" 1}' })
  expect(read.error?.issues).toMatchObject([{ path: ['inputSchema'], message: expect.stringContaining('Line 2') }])
  expect(OverrideForm.safeParse({ inputSchema: '[]' }).error?.issues).toHaveLength(1)
})
