import { expect, test } from 'vitest'
import { Semaphore } from './semaphore.ts'

const { signal } = new AbortController()

test('lets so many in at a time, in order', async () => {
  const semaphore = new Semaphore(2)
  const order: number[] = []
  expect([semaphore.acquire(signal), semaphore.acquire(signal)]).toEqual([undefined, undefined])
  const waiting = [3, 4].map((n) => semaphore.acquire(signal)?.then(() => order.push(n)))
  expect(semaphore.waiting).toBe(2)

  semaphore.release()
  await waiting[0]
  expect(order).toEqual([3])
  semaphore.release()
  await waiting[1]
  semaphore.release()
  semaphore.release()
  expect(order).toEqual([3, 4])
  expect(semaphore.acquire(signal)).toBeUndefined()
})

test('who gives up waiting does not hold up the others', async () => {
  const semaphore = new Semaphore(1)
  const abort = new AbortController()
  void semaphore.acquire(signal)
  const impatient = semaphore.acquire(abort.signal)
  const patient = semaphore.acquire(signal)

  abort.abort(new Error('gone'))
  await expect(impatient).rejects.toThrow('gone')
  semaphore.release()
  await patient
  expect(semaphore.waiting).toBe(0)
})
