import type { EventView } from '@herma/contract'
import { expect, test } from 'vitest'
import { mergeNewest } from './merge-newest.ts'

const rows = (...ids: string[]) => ids.map((id) => ({ id }) as EventView)
const idsOf = (list: readonly EventView[]) => list.map(({ id }) => id)

test('new ones go to their place, whatever their order, and the oldest are left out', () => {
  const { rows: merged, isCut } = mergeNewest(rows('9', '8', '7'), rows('10', '12', '11'), 5)
  expect(idsOf(merged)).toEqual(['12', '11', '10', '9', '8'])
  expect(isCut).toBe(true)
  expect(mergeNewest(rows('2'), rows('3'), 5)).toMatchObject({ isCut: false })
})
