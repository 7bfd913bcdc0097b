import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askerOf, Attribution } from './attribution.ts'
import type { Pending } from '../link/link.ts'
import { RequestCall } from '../link/request-call.ts'
import { createCaller, TestCall } from '../testing/test-call.ts'
import { createPending } from '../testing/test-link.ts'

let pending: Map<number, Pending>
let attribution: Attribution

beforeEach(() => {
  vi.useFakeTimers()
  pending = new Map()
  attribution = new Attribution(pending)
})
afterEach(() => vi.useRealTimers())

function begin(id: number, connectionId: string | null = null): Pending {
  const call = createPending(id, new TestCall(createCaller(connectionId)))
  pending.set(id, call)
  return call
}

test('the calls of one legacy client have one asker, and two modern requests have two', () => {
  expect(askerOf(new TestCall(createCaller('a')))).toBe(askerOf(new TestCall(createCaller('a'))))
  expect(askerOf(new TestCall(createCaller('a')))).not.toBe(askerOf(new TestCall(createCaller('b'))))
  const caller = createCaller()
  expect(askerOf(new TestCall(caller))).not.toBe(askerOf(new TestCall(caller)))
})

/** The call that is asked by the rule of a link whose server has asked before. */
function found(): Pending | null {
  return attribution.askers().size === 1 ? attribution.newest() : null
}

test('a question belongs to nobody when nothing is under way', () => {
  expect(found()).toBeNull()
})

test('it belongs to the only call under way', () => {
  const call = begin(1)
  expect(found()).toBe(call)
})

test('it belongs to the newest of the calls of one legacy client', () => {
  begin(1, 'a')
  const newest = begin(2, 'a')
  expect(found()).toBe(newest)
})

test("the hub's own requests are not asked", () => {
  const call = begin(1)
  const own = new RequestCall('tools/list', {}, 'legacy', { resolve: () => {}, reject: () => {} })
  pending.set(2, createPending(2, own))
  expect(found()).toBe(call)
})

test.each([
  ['two legacy clients', 'a', 'b'],
  ['a legacy and a modern client', 'a', null],
  ['two modern requests', null, null],
])('nobody is asked while %s have calls under way', (_, first, second) => {
  begin(1, first)
  begin(2, second)
  expect(found()).toBeNull()
})

test('nobody is asked while the question may be about a call that was just given up', () => {
  const gone = begin(1, 'a')
  pending.delete(1)
  attribution.givenUp(gone)
  const other = begin(2, 'b')
  expect(found()).toBeNull()
  expect(attribution.askers()).toEqual(new Set(['a', 'b']))
  expect(attribution.askersUnderWay()).toEqual(new Set(['b']))
  vi.advanceTimersByTime(5001)
  expect(found()).toBe(other)
})

test('a call that was given up is out of it when the server answers all the same', () => {
  const gone = begin(1, 'a')
  pending.delete(1)
  attribution.givenUp(gone)
  const other = begin(2, 'b')
  expect(attribution.answered(7)).toBe(false)
  expect(attribution.answered(1)).toBe(true)
  expect(found()).toBe(other)
})

test('a client that gave one call up is asked for another of its own', () => {
  const gone = begin(1, 'a')
  pending.delete(1)
  attribution.givenUp(gone)
  const call = begin(2, 'a')
  expect(found()).toBe(call)
})

test('a log message belongs to the newest call of the only client that wants some', () => {
  const wanted = new Set([begin(1, 'a').call, begin(2, 'a').call])
  begin(3, 'b')
  expect(attribution.only((call) => wanted.has(call))).toBe(pending.get(2))
  expect(attribution.only(() => true)).toBeNull()
  expect(attribution.only(() => false)).toBeNull()
})
