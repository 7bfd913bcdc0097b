import type { EventView } from '@herma/contract'
import { expect, test } from 'vitest'
import { spansOf } from './spans.ts'

const begin = Date.parse('2026-11-16T12:00:00Z')
let lastId = 0
const event = (kind: string, afterMs: number, rest: Partial<EventView> = {}): EventView => ({
  id: String(++lastId),
  at: new Date(begin + afterMs).toISOString(),
  kind,
  connector: null,
  data: {},
  ...rest,
})

test('events of one span come together, and what happened inside of it follows it', () => {
  const { spans, totalMs, isUnderWay } = spansOf([
    event('message.received', 0, { spanId: 'a' }),
    event('step.finished', 30, { spanId: 'c', parentId: 'b', ms: 5 }),
    event('step.finished', 10, { spanId: 'd', parentId: 'b', ms: 15 }),
    event('turn.finished', 5, { spanId: 'b', parentId: 'a', ms: 40, session: 'ann' }),
    event('message.sent', 50, { spanId: 'a' }),
    event('call.finished', 0, { spanId: 'a', parentId: 'of the client', ms: 50 }),
  ])
  expect(spans.map(({ id, level, kind, beginMs }) => [id, level, kind, beginMs])).toEqual([
    ['a', 0, 'call', 0],
    ['b', 1, 'turn', 5],
    ['d', 2, 'step', 10],
    ['c', 2, 'step', 30],
  ])
  expect(spans[0]!.events.map(({ kind }) => kind)).toEqual(['message.received', 'message.sent', 'call.finished'])
  expect(totalMs).toBe(50)
  expect(isUnderWay).toBe(false)
})

test('what has begun and not ended is under way, and an event alone took no time', () => {
  const { spans, isUnderWay } = spansOf([
    event('message.received', 0, { spanId: 'a' }),
    event('workspace.refused', 2, { parentId: 'a', outcome: 'refused' }),
    event('connector.changed', 3),
  ])
  expect(isUnderWay).toBe(true)
  expect(spans.map(({ kind, level, ms }) => [kind, level, ms])).toEqual([
    ['call', 0, null],
    ['event', 1, 0],
    ['event', 0, 0],
  ])
})

test('spans that name each other as parents are all there, once', () => {
  const { spans } = spansOf([
    event('step.finished', 0, { spanId: 'a', parentId: 'b', ms: 1 }),
    event('step.finished', 0, { spanId: 'b', parentId: 'a', ms: 1 }),
  ])
  expect(spans.map(({ id }) => id)).toEqual(['a', 'b'])
})

test('a deep trace is no deeper than a page is wide', () => {
  const deep = Array.from({ length: 5000 }, (_, index) =>
    event('step.finished', index, { spanId: `s${index}`, parentId: `s${index - 1}`, ms: 1 }),
  )
  const { spans } = spansOf(deep)
  expect(spans).toHaveLength(5000)
  expect(Math.max(...spans.map(({ level }) => level))).toBe(8)
})
