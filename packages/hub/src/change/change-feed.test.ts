import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ChangeTopic } from '@herma/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Events } from '../platform/events.ts'
import { ChangeFeed, type ChangeListener } from './change-feed.ts'
import { topicsByNoun } from './topics-of.ts'

let events: Events
let feed: ChangeFeed

beforeEach(() => {
  vi.useFakeTimers()
  events = new Events()
  feed = new ChangeFeed(events)
  feed.start()
})
afterEach(() => {
  feed.stop()
  vi.useRealTimers()
})

function page(takes: () => boolean = () => true) {
  const told: ChangeTopic[][] = []
  const seen = { hellos: 0, isOver: false, told }
  const listener: ChangeListener = {
    hello: () => void seen.hellos++,
    tell: ({ topics }) => takes() && told.push(topics) > 0,
    end: () => {
      seen.isOver = true
    },
  }
  return { seen, leave: feed.listen(listener) }
}

test('a page is greeted, then told once in a moment of everything that changed', () => {
  const { seen, leave } = page()
  events.emit('secret.added')
  events.emit('key.added')
  events.touch('thread')
  expect(seen).toMatchObject({ hellos: 1, told: [] })
  vi.advanceTimersByTime(250)
  expect(seen.told).toEqual([['connectors', 'sessions', 'bindings', 'threads', 'traces', 'access', 'secrets']])
  vi.advanceTimersByTime(10_000)
  expect(seen.told).toHaveLength(1)
  leave()
  events.emit('secret.added')
  vi.advanceTimersByTime(250)
  expect(seen.told).toHaveLength(1)
})

test('a call concerns its connector, its server and the traces', () => {
  const { seen } = page()
  events.record({ kind: 'call.finished', at: 0, connector: null, data: { secret: 'not told' } })
  vi.advanceTimersByTime(250)
  expect(seen.told).toEqual([['connectors', 'servers', 'traces']])
})

test('a page that reads too slowly misses no topic and holds nobody up', () => {
  let takes = false
  const slow = page(() => takes)
  const quick = page()
  events.emit('key.added')
  vi.advanceTimersByTime(250)
  takes = true
  events.touch('thread')
  vi.advanceTimersByTime(250)
  expect(quick.seen.told).toEqual([['traces', 'access'], ['threads']])
  expect(slow.seen.told).toEqual([['threads', 'traces', 'access']])
})

test('there is a limit, which is told, and a place that was left is free again', () => {
  const pages = Array.from({ length: 50 }, () => page())
  expect(() => page()).toThrow(/50 pages .* limit\. Close one/)
  pages[0]!.leave()
  page()
  expect(feed.metrics[0]).toMatchObject({ name: 'change_listeners', read: expect.any(Function) })
  feed.stop()
  expect(pages[1]!.seen.isOver).toBe(true)
})

test('every noun that the hub speaks of has its topics', () => {
  const source = fileURLToPath(new URL('..', import.meta.url))
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isSource)
  const kinds = files.flatMap((file) =>
    [
      ...readFileSync(source + file, 'utf8').matchAll(
        /(?:(?<!this\.|response\?\.)emit\(|tell\(|touch\(|kind: )\s*'([a-z-]+)[.']/g,
      ),
    ].flatMap(([text, noun = '']) => (text.includes('kind:') && !text.endsWith('.') ? [] : [noun])),
  )
  expect(kinds.length).toBeGreaterThan(50)
  expect([...new Set(kinds)].filter((noun) => topicsByNoun[noun] === undefined)).toEqual([])
})

function isSource(file: string): boolean {
  return file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing')
}
