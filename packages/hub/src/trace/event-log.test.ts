import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Events } from '../platform/events.ts'
import { createLog } from '../platform/log.ts'
import { openTestStore, storeKinds, type TestStore } from '../platform/testing/test-store.ts'
import { EventLog } from './event-log.ts'

const log = createLog('silent')

describe.each(storeKinds)('events in the %s store', (kind) => {
  let opened: TestStore
  let events: Events
  let eventLog: EventLog

  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(async () => {
    await opened.store.pool.query('truncate event')
    events = new Events()
    eventLog = new EventLog(opened.store, events, log)
    eventLog.start()
    return () => eventLog.stop()
  })
  afterAll(() => opened.close())

  test('what was just emitted is among the recent events, newest first', async () => {
    events.emit('connector.added', 'files', { transport: 'stdio' })
    events.emit('hub.started')
    const recent = await eventLog.recent({ limit: 10 })
    expect(recent).toMatchObject([
      { kind: 'hub.started', connector: null, data: {} },
      { kind: 'connector.added', connector: 'files', data: { transport: 'stdio' } },
    ])
    expect(recent.map(({ id, at }) => [typeof id, Number.isNaN(Date.parse(at))])).toEqual([
      ['string', false],
      ['string', false],
    ])
  })

  test('recent events can be limited to one connector and to a number', async () => {
    for (let index = 0; index < 5; index++) events.emit('call.finished', index % 2 === 0 ? 'even' : 'odd', { index })
    const recent = await eventLog.recent({ connector: 'even', limit: 2 })
    expect(recent.map(({ data }) => data.index)).toEqual([4, 2])
    expect(await eventLog.recent({ limit: -1 })).toHaveLength(1)
  })

  test('stopping writes everything that was emitted and then listens no more', async () => {
    for (let index = 0; index < 2500; index++) events.emit('call.finished', 'files', { index })
    await eventLog.stop()
    events.emit('call.finished', 'files', { index: -1 })
    const count = await opened.store.pool.query('select count(*)::integer as count from event')
    expect(count.rows).toEqual([{ count: 2500 }])
  })

  test('data that the store cannot hold as it is, is stored as far as possible', async () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    events.emit('odd.circular', null, circular)
    events.emit('odd.text', 'na\0me', { zero: 'a\0b', half: 'c\ud800d', escaped: '\\u0000', smile: '🙂', big: 1n })
    events.emit('odd.long', null, { text: '🙂'.repeat(20_000) })
    const [long, text, unreadable] = await eventLog.recent({ limit: 10 })
    expect(unreadable?.data).toEqual({ unreadable: expect.stringContaining('circular') })
    expect(text).toMatchObject({
      connector: 'name',
      data: { zero: 'ab', half: 'cd', escaped: '\\u0000', smile: '🙂', big: '1' },
    })
    expect(JSON.stringify(long?.data).length).toBeLessThan(40_000)
    expect(eventLog.stats()).toMatchObject({ written: 3, dropped: 0, lastError: null })
  })

  test('only the newest events are kept', async () => {
    for (let index = 0; index < 30; index++) events.emit('call.finished', 'files', { index })
    await eventLog.recent({ limit: 1 })
    await eventLog.prune(10)
    await eventLog.prune(10)
    const kept = await eventLog.recent({ limit: 100 })
    expect(kept.map(({ data }) => data.index)).toEqual(Array.from({ length: 10 }, (_, index) => 29 - index))
  })
})
