import { expect, test } from 'vitest'
import type { HubEvent } from '../../platform/events.ts'
import { encodeRow, eventColumns } from './event-row.ts'

function columnsOf(event: Partial<HubEvent>): Record<string, string> {
  const whole = { kind: 'call.finished', at: 0, connector: null, data: {}, ...event }
  const { method, target, session, thread } = whole
  const values = encodeRow({ id: '1', event: whole, method, target, session, thread, data: '{}' })
    .slice(0, -1)
    .split('\t')
  return Object.fromEntries(eventColumns.map((name, index) => [name, values[index] ?? 'missing']))
}

test.each([
  [undefined, '\\N'],
  [0, '0.000'],
  [0.0004, '0.000'],
  [0.0016, '0.002'],
  [1.25, '1.250'],
  [9.9996, '10.000'],
  [1000, '1000.000'],
  [-1.5, '-1.5'],
  [2_000_000_000, '2000000000'],
  [Number.NaN, '\\N'],
  [Infinity, '\\N'],
])('%d ms are written as %s', (ms, text) => {
  expect(columnsOf({ ms })['ms']).toBe(text)
})

test('what would break the line is escaped, and an id that is none is left out', () => {
  const row = columnsOf({ target: 'a\tb\nc\\d\0', traceId: 'ab'.repeat(16), spanId: 'no id', principal: 'key:a' })
  expect(row).toMatchObject({
    target: 'a\\tb\\nc\\\\d',
    trace_id: 'ab'.repeat(16),
    span_id: '\\N',
    parent_id: '\\N',
    principal: 'key:a',
    data: '{}',
  })
})
