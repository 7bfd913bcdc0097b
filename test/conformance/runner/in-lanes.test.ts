import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inLanes } from './in-lanes.ts'

test('as many items as there are lanes are worked on at once, never two in one lane, and order is kept', async () => {
  const busy = new Set<number>()
  let most = 0
  const results = await inLanes([3, 1, 2, 0, 2], 2, async (turns, lane) => {
    expect(busy.has(lane)).toBe(false)
    busy.add(lane)
    most = Math.max(most, busy.size)
    for (let count = 0; count <= turns; count++) await turn()
    busy.delete(lane)
    return turns * 10
  })
  expect(results).toEqual([30, 10, 20, 0, 20])
  expect(most).toBe(2)
})

test('after a failure nothing is begun, and what is under way ends first', async () => {
  const log: string[] = []
  const work = inLanes(['bad', 'slow', 'late'], 2, async (item) => {
    log.push(item)
    if (item === 'bad') throw new Error('It is bad.')
    for (let count = 0; count < 5; count++) await turn()
    log.push(`${item} ended`)
  })
  await expect(work).rejects.toThrow('It is bad.')
  expect(log).toEqual(['bad', 'slow', 'slow ended'])
})
