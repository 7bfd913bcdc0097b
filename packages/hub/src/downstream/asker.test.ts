import { expect, test } from 'vitest'
import { askerOf, askersOf, clientCalls } from './asker.ts'
import { RequestCall } from './request-call.ts'
import { createCaller, TestCall } from './testing/test-call.ts'
import { createPending } from './testing/test-link.ts'

const own = new RequestCall('tools/list', {}, 'legacy', { resolve: () => {}, reject: () => {} })

test('the calls of one legacy client have one asker, and two modern requests have two', () => {
  expect(askerOf(new TestCall(createCaller('a')))).toBe(askerOf(new TestCall(createCaller('a'))))
  expect(askerOf(new TestCall(createCaller('a')))).not.toBe(askerOf(new TestCall(createCaller('b'))))
  const caller = createCaller()
  expect(askerOf(new TestCall(caller))).not.toBe(askerOf(new TestCall(caller)))
})

test("the hub's own requests ask nobody", () => {
  const pending = [new TestCall(), own, new TestCall(createCaller('a')), new TestCall(createCaller('a'))].map(
    (call, id) => createPending(id, call),
  )
  expect(clientCalls(pending).map(({ id }) => id)).toEqual([0, 2, 3])
  expect(askersOf(pending).size).toBe(2)
})
