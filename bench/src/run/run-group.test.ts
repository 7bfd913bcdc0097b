import { expect, test } from 'vitest'
import { rotate } from './run-group.ts'

test('over as many rounds as there are targets, each goes first once and none is left out', () => {
  const targets = ['a', 'b', 'c']
  const rounds = [0, 1, 2].map((round) => rotate(targets, round))
  expect(rounds.map((round) => round[0])).toEqual(['a', 'b', 'c'])
  for (const round of rounds) expect(round.toSorted()).toEqual(targets)
  expect(rotate([], 5)).toEqual([])
})
