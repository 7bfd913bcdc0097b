import { expect, test } from 'vitest'
import { findTicks, splitRuns } from './plot-scale.ts'

test('ticks are round, begin at zero and reach the highest value', () => {
  expect(findTicks(0)).toEqual([0, 1])
  expect(findTicks(4)).toEqual([0, 1, 2, 3, 4])
  expect(findTicks(0.3)).toEqual([0, 0.1, 0.2, 0.3])
  expect(findTicks(1234)).toEqual([0, 500, 1000, 1500])
  for (const highest of [1e-3, 7, 99, 100, 101, 12_345, 8.7e6]) {
    const ticks = findTicks(highest)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest)
    expect(ticks.length).toBeGreaterThanOrEqual(3)
    expect(ticks.length).toBeLessThanOrEqual(6)
  }
})

test('a missing step is a gap', () => {
  const at = (...times: number[]) => times.map((time) => ({ at: time }))
  expect(splitRuns(at(0, 10, 20, 40, 50, 90), 10)).toEqual([at(0, 10, 20), at(40, 50), at(90)])
  expect(splitRuns([], 10)).toEqual([])
})
