import { expect, test } from 'vitest'
import type { HubEvent } from '../../platform/events.ts'
import { EventLimit } from './event-limit.ts'

const event = (kind: string, connector: string | null = 'a'): HubEvent => ({ kind, connector, at: 0, data: {} })
const minuteMs = 60_000

test('events of a server beyond the limit of its minute are counted and told as one', () => {
  const limit = new EventLimit(new Map([['a', 2]]))
  const taken = (now: number) => limit.take(event('part.sent'), now)
  expect([1, 2, 3, 4].map(taken)).toEqual([true, true, false, false])
  expect(limit.take(event('part.sent', 'b'), 5)).toBe(true)
  expect(limit.end(10)).toEqual([])
  // Until it was told, nothing of the next minute is taken.
  expect(taken(minuteMs + 1)).toBe(false)
  expect(limit.end(minuteMs + 1)).toEqual([{ connector: 'a', count: 3, since: 1, limit: 2 }])
  expect(taken(minuteMs + 2)).toBe(true)
  expect([...limit.total]).toEqual([['a', 3]])
  expect(limit.end(3 * minuteMs)).toEqual([])
})

test('calls, changes by people and what belongs to no server have no limit', () => {
  const limit = new EventLimit(new Map([['a', 1]]))
  const kinds = ['call.finished', 'step.finished', 'message.received', 'connector.changed', 'tool.approved']
  for (const kind of kinds) expect([1, 2, 3].map((now) => limit.take(event(kind), now))).toEqual([true, true, true])
  expect([1, 2].map((now) => limit.take(event('part.sent', null), now))).toEqual([true, true])
  expect([1, 2].map((now) => limit.take(event('downstream.ready'), now))).toEqual([true, false])
})

test('a flood of talk does not hide that a tool has changed', () => {
  const limit = new EventLimit(new Map([['a', 1]]))
  expect([1, 2].map((now) => limit.take(event('part.sent'), now))).toEqual([true, false])
  expect(limit.take(event('tool.changed'), 3)).toBe(true)
})
