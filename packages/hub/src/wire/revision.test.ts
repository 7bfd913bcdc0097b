import { expect, test } from 'vitest'
import { eraOf, isLegacyRevision, legacyRevisions, modernRevision, revisions } from './revision.ts'

test('the newest revision comes first and each belongs to one era', () => {
  expect([...revisions]).toEqual([...revisions].toSorted().toReversed())
  expect(legacyRevisions.map(eraOf)).toEqual(legacyRevisions.map(() => 'legacy'))
  expect(eraOf(modernRevision)).toBe('modern')
})

test.each(['', '2025-11-26', modernRevision, 'constructor', '__proto__', null, 1, ['2025-11-25']])(
  '%j is no legacy revision',
  (revision) => {
    expect(isLegacyRevision(revision)).toBe(false)
  },
)
