import { expect, test } from 'vitest'
import { beginTrace, toTraceParent } from './trace-context.ts'

test('a request joins the trace that its client names', () => {
  const given = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
  const trace = beginTrace(given)
  expect(trace).toMatchObject({ traceId: 'ab'.repeat(16), parentId: 'cd'.repeat(8) })
  expect(trace.spanId).toMatch(/^[0-9a-f]{16}$/)
  expect(toTraceParent(trace)).toBe(`00-${'ab'.repeat(16)}-${trace.spanId}-01`)
  expect(beginTrace(toTraceParent(trace)).parentId).toBe(trace.spanId)
})

test.each([
  undefined,
  7,
  '',
  'nonsense',
  `00-${'0'.repeat(32)}-${'cd'.repeat(8)}-01`,
  `00-${'ab'.repeat(16)}-${'0'.repeat(16)}-01`,
  `00-${'AB'.repeat(16)}-${'cd'.repeat(8)}-01`,
  `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}`,
])('%j begins a trace of its own', (given) => {
  const trace = beginTrace(given)
  expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(trace.parentId).toBeUndefined()
})

test('ids are unique and sort by time', () => {
  // So many that the digits which change rarely change too.
  const count = 70_000
  const ids = Array.from({ length: count }, () => beginTrace(undefined))
  expect(new Set(ids.map(({ traceId }) => traceId)).size).toBe(count)
  expect(new Set(ids.map(({ spanId }) => spanId)).size).toBe(count)
  expect(ids.every(({ traceId, spanId }) => traceId.length === 32 && spanId.length === 16)).toBe(true)
  const order = ids.map(({ traceId }) => traceId)
  expect(order.toSorted()).toEqual(order)
})
