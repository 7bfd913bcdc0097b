import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TurnQueue } from './turn-queue.ts'

const signal = new AbortController().signal

function wish(more: Partial<Parameters<TurnQueue['enter']>[0]> = {}) {
  return { id: 's', name: 'ada', limit: 2, signal, ...more }
}

test('turns beyond the limit wait, and start in the order in which they came', async () => {
  const queue = new TurnQueue()
  const started: number[] = []
  const leaves = new Map<number, () => void>()
  const waits: number[] = []
  for (let index = 0; index < 6; index++) {
    void queue.enter(wish({ onWait: (before) => waits.push(before) })).then((leave) => {
      started.push(index)
      leaves.set(index, leave)
    })
  }
  await tick()
  expect({ started, waits, running: queue.running('s') }).toEqual({ started: [0, 1], waits: [0, 1, 2, 3], running: 2 })
  for (const index of [1, 0, 2, 3, 4, 5]) {
    leaves.get(index)!()
    // A turn ends once, however often it says so.
    leaves.get(index)!()
    await tick()
    expect(queue.running('s')).toBeLessThanOrEqual(2)
  }
  expect(started).toEqual([0, 1, 2, 3, 4, 5])
  expect(queue.metrics.map((metric) => metric.read())).toEqual([0, 0])
})

test('who gives up leaves the queue at once, and the next one moves up', async () => {
  const queue = new TurnQueue()
  const leave = await queue.enter(wish({ limit: 1 }))
  const controller = new AbortController()
  const given = queue.enter(wish({ limit: 1, signal: controller.signal }))
  const next = queue.enter(wish({ limit: 1 }))
  controller.abort(new Error('enough'))
  await expect(given).rejects.toThrow('enough')
  leave()
  const leaveNext = await next
  leaveNext()
  expect(queue.running('s')).toBe(0)
  await expect(queue.enter(wish({ signal: controller.signal }))).rejects.toThrow('enough')
})

test('another session does not wait, and a raised limit lets those who wait begin', async () => {
  const queue = new TurnQueue()
  await queue.enter(wish({ limit: 1 }))
  const waiting = queue.enter(wish({ limit: 1 }))
  await queue.enter(wish({ id: 'other', limit: 1 }))
  void queue.enter(wish({ limit: 2 }))
  await waiting
  expect(queue.running('s')).toBe(2)
})

test('a queue that is too long is refused', async () => {
  const queue = new TurnQueue()
  const controllers = Array.from({ length: 200 }, () => new AbortController())
  await queue.enter(wish({ limit: 1 }))
  const waiting = controllers.map((controller) => queue.enter(wish({ limit: 1, signal: controller.signal })))
  await expect(queue.enter(wish({ limit: 1 }))).rejects.toMatchObject({ code: 'QUEUE_FULL' })
  for (const controller of controllers) controller.abort(new Error('enough'))
  await Promise.allSettled(waiting)
  expect(queue.metrics.map((metric) => metric.read())).toEqual([1, 0])
})
