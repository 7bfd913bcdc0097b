import { expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { EventIds } from './event-id.ts'
import type { RecordedEvent } from './event-row.ts'
import { EventWriter, type EventWriterOptions } from './event-writer.ts'

const none = { method: undefined, target: undefined, session: undefined, thread: undefined }
const ids = new EventIds()

function recorded(data = '{}', kind = 'call.finished'): RecordedEvent {
  return { id: ids.next(), event: { kind, at: Date.now(), connector: null, data: {} }, ...none, data }
}

function openWriter(options: Partial<EventWriterOptions> & Pick<EventWriterOptions, 'append'>) {
  const events = new Events()
  const told: HubEvent[] = []
  events.listen((event) => told.push(event))
  return { writer: new EventWriter({ name: 'test', events, log: createLog('silent'), ...options }), told }
}

const text = (lines: readonly Buffer[]) => Buffer.concat(lines).toString()
const refusal = () => Object.assign(new Error('invalid input'), { code: '22P02' })

test('every event becomes one line, in order, whatever its size', async () => {
  let stored = ''
  const { writer } = openWriter({ append: async (lines) => void (stored += text(lines)) })
  const sizes = [10, 50_000, 50, 30_000, 30_000, 30_000, 3]
  for (const size of sizes) writer.take(recorded(JSON.stringify({ text: '🙂\n'.repeat(size) })))
  await writer.stop()
  const lines = stored.trimEnd().split('\n')
  expect(lines.map((line) => [...line.matchAll(/🙂/gu)].length)).toEqual(sizes)
  const written = lines.map((line) => line.split('\t')[0])
  expect(written).toEqual([...new Set(written)].toSorted())
  expect(writer.stats()).toMatchObject({ written: sizes.length, dropped: 0, queued: 0 })
})

test('a row that the store refuses is dropped alone', async () => {
  const stored: string[] = []
  const { writer } = openWriter({
    append: async (lines) => {
      if (text(lines).includes('bad')) throw refusal()
      stored.push(...text(lines).trimEnd().split('\n'))
    },
  })
  for (let index = 0; index < 1000; index++) writer.take(recorded(`{"n":${index}}`, index % 400 === 7 ? 'bad' : 'good'))
  await writer.flush()
  expect(stored).toHaveLength(997)
  expect(writer.stats()).toMatchObject({ written: 997, dropped: 3, queued: 0 })
  await writer.stop()
})

test('a store that is away delays events and loses none', async () => {
  let failures = 3
  let stored = 0
  const { writer } = openWriter({
    append: async (lines) => {
      if (failures-- > 0) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
      stored += lines.length
    },
  })
  writer.take(recorded())
  await writer.flush()
  expect(stored).toBe(1)
  expect(writer.stats()).toMatchObject({ written: 1, dropped: 0, lastError: { message: 'away' } })
  await writer.stop()
})

test('what does not fit into memory is dropped, counted, and told once there is room again', async () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const { writer, told } = openWriter({ append: () => opened, maxQueuedBytes: 1_000_000 })
  const body = JSON.stringify({ text: 'x'.repeat(900) })
  for (let index = 0; index < 5000; index++) writer.take(recorded(body))
  const { queued, dropped } = writer.stats()
  expect(dropped).toBeGreaterThan(3000)
  expect(queued + dropped).toBe(5000)
  expect(told).toEqual([])
  open()
  await writer.flush()
  const { dropped: all } = writer.stats()
  expect(told).toMatchObject([{ kind: 'events.dropped', data: { count: all } }])
  await writer.stop()
  expect(writer.stats()).toMatchObject({ queued: 0, written: 5000 - all })
})

test('ids rise also when more events come than the clock has ticks', () => {
  const many = Array.from({ length: 5000 }, () => ids.next())
  expect(many.every((id) => /^\d{19}$/.test(id))).toBe(true)
  expect(many).toEqual([...new Set(many)].toSorted())
})
