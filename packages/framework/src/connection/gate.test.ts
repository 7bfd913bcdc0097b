import { expect, test } from 'vitest'
import { Gate } from './gate.ts'

const { signal } = new AbortController()

test('lets so many in at a time, in order', async () => {
  const gate = new Gate(2)
  const order: number[] = []
  expect([gate.enter(signal), gate.enter(signal)]).toEqual([undefined, undefined])
  const waiting = [3, 4].map((n) => gate.enter(signal)?.then(() => order.push(n)))
  expect(gate.waiting).toBe(2)

  gate.leave()
  await waiting[0]
  expect(order).toEqual([3])
  gate.leave()
  await waiting[1]
  gate.leave()
  gate.leave()
  expect(order).toEqual([3, 4])
  expect(gate.enter(signal)).toBeUndefined()
})

test('who gives up waiting does not hold up the others', async () => {
  const gate = new Gate(1)
  const abort = new AbortController()
  void gate.enter(signal)
  const impatient = gate.enter(abort.signal)
  const patient = gate.enter(signal)

  abort.abort(new Error('gone'))
  await expect(impatient).rejects.toThrow('gone')
  gate.leave()
  await patient
  expect(gate.waiting).toBe(0)
})
