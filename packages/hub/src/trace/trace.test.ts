import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EventView } from '@herma/contract'
import { Events, type HubEvent } from '../platform/events.ts'
import { createLog } from '../platform/log.ts'
import { openTestStore, storeKinds, type TestStore } from '../platform/testing/test-store.ts'
import { openTrace, type OpenTrace } from './index.ts'

const canary = 'canary-8f2b71'
const mask = (text: string) => text.replaceAll(canary, '••••')
const masks = {
  redact: mask,
  redactValue: (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, each: unknown) => (key === 'api_key' ? '••••' : each)),
      (_key, each: unknown) => (typeof each === 'string' ? mask(each) : each),
    ),
}
const seals = {
  seal: (text: string, context: string) => Buffer.from(`${context}|${text}`).toString('base64'),
  open: (text: string) => Buffer.from(text, 'base64').toString().split('|').slice(1).join('|'),
}

describe.each(storeKinds)('traces in the %s store', (kind) => {
  let opened: TestStore
  let events: Events
  let trace: OpenTrace
  const secrets: string[] = []

  const open = () =>
    openTrace({
      store: opened.store,
      events,
      log: createLog('silent'),
      version: '1.2.3',
      masks,
      seals,
      servers: () => ['facade', 'reader'],
      onSecrets: (values) => void secrets.push(...values),
      resolveSecrets: (text) => text.replace('{secret:otlp}', 'from the book'),
      metrics: () => trace.metrics,
    })
  const traces = () => trace.management.traces

  beforeAll(async () => {
    opened = await openTestStore(kind)
  })
  beforeEach(async () => {
    await opened.store.pool.query('truncate event, audit_event, capture, trace_setting')
    events = new Events()
    trace = await open()
    return () => trace.stop()
  })
  afterAll(() => opened.close())

  test('what was just emitted is found, newest first, with every field that was given', async () => {
    events.emit('connector.added', 'files', { transport: 'stdio' })
    const call = finishedCall({ errorCode: '-32602', outcome: 'error', session: 's 1', thread: 't\t1' })
    events.record(call)
    const [found, added] = (await traces().find({ limit: 10 })).events
    const { at, data, ...rest } = call
    expect(found).toEqual({ ...rest, id: expect.stringMatching(/^\d{19}$/), at: new Date(at).toISOString(), data })
    expect(added).toMatchObject({ kind: 'connector.added', connector: 'files', data: { transport: 'stdio' } })
    expect(await traces().recent({ connector: 'files', limit: 5 })).toEqual([added])
    expect(BigInt(found!.id)).toBeGreaterThan(BigInt(added!.id))
  })

  test('filters choose, and pages follow each other without gaps or repeats', async () => {
    for (let index = 0; index < 25; index++) {
      events.record(
        finishedCall({
          traceId: hex(index, 32),
          target: index % 2 === 0 ? 'files__read_file' : 'notes__search',
          ms: index,
          outcome: index % 5 === 0 ? 'refused' : 'ok',
          data: index === 7 ? { error: 'the quick brown fox' } : {},
        }),
      )
    }
    events.emit('hub.started')
    const all: EventView[] = []
    for (let cursor: string | undefined; ;) {
      const page = await traces().find({ kind: 'call.*', limit: 10, cursor })
      all.push(...page.events)
      if (page.next === null) break
      cursor = page.next
    }
    expect(all.map(({ ms }) => ms)).toEqual(Array.from({ length: 25 }, (_, index) => 24 - index))
    const count = async (filter: object) => (await traces().find({ limit: 1000, ...filter })).events.length
    expect(await count({ target: 'notes__search' })).toBe(12)
    expect(await count({ minMs: 20 })).toBe(5)
    expect(await count({ outcome: 'refused' })).toBe(5)
    expect(await count({ outcome: 'refused,ok' })).toBe(25)
    expect(await count({ text: 'BROWN quick' })).toBe(1)
    expect(await count({ text: 'read_file', outcome: 'refused' })).toBe(3)
    expect(await count({ kind: 'hub.started, call.finished' })).toBe(26)
    expect(await count({ kind: 'call_finished' })).toBe(0)
    expect(await count({ traceId: hex(3, 32) })).toBe(1)
    expect(await count({ server: "x' or true --" })).toBe(0)
    const middle = new Date(Number(BigInt(all[12]!.id) / 1_000_000n)).toISOString()
    expect((await count({ from: middle })) + (await count({ to: middle }))).toBe(26)
  })

  test('a trace is all of its events in order, and an unknown one says where to look', async () => {
    const traceId = hex(77, 32)
    events.emit('message.received', null, {}, { traceId, spanId: hex(1, 16) })
    events.emit('route.chosen', 'files', {}, { traceId, spanId: hex(1, 16) })
    events.record(finishedCall({ traceId, at: Date.now() - 50 }))
    const found = await traces().trace(traceId)
    expect(found.events.map(({ kind: each }) => each)).toEqual(['message.received', 'route.chosen', 'call.finished'])
    await expect(traces().trace(hex(78, 32))).rejects.toMatchObject({ code: 'TRACE_NOT_FOUND' })
  })

  test('secrets are masked by name and by value, also in text that was cut off', async () => {
    events.record(finishedCall({ target: `tool ${canary}`, method: canary, session: canary, thread: canary }))
    events.emit('message.received', null, { params: { arguments: { api_key: 'plain', note: `x${canary}y` } } })
    events.emit('message.received', null, { truncated: `{"params":{"api_key":"plain","note":"a","half":"${canary}` })
    await traces().find({ limit: 1 })
    const stored = await opened.store.pool.query<{ text: string }>('select event::text as text from event')
    const text = stored.rows.map((row) => row.text).join('\n')
    expect(text).not.toContain(canary)
    expect(text).not.toContain('plain')
    expect(text).toContain('note')
  })

  test('data that the store cannot hold as it is, is stored as far as possible', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    events.emit('odd.circular', null, circular)
    events.emit('odd.text', 'na\0me', {
      zero: 'a\0b',
      half: 'c\ud800d',
      escaped: '\\u0000',
      smile: '🙂',
      lines: 'a\n\tb\\N',
    })
    events.emit('odd.id', null, {}, { traceId: 'no hex', spanId: '1; drop table event' })
    events.record({ kind: 'odd.time', at: NaN, connector: null, data: {}, ms: Infinity })
    const [time, id, text, unreadable] = (await traces().find({ limit: 10 })).events
    expect(unreadable?.data).toEqual({ unreadable: expect.stringContaining('circular') })
    expect(text).toMatchObject({
      connector: 'name',
      data: { zero: 'ab', half: 'cd', escaped: '\\u0000', smile: '🙂', lines: 'a\n\tb\\N' },
    })
    expect(id).not.toHaveProperty('traceId')
    expect(time).not.toHaveProperty('ms')
    expect(trace.management.stats().events).toMatchObject({ written: 4, dropped: 0, lastError: null })
  })

  test('rows that are there already, because an answer of the store was lost, are not written twice', async () => {
    events.record(finishedCall())
    await traces().find({ limit: 1 })
    const [before] = (await opened.store.pool.query<{ id: string }>('select id from event')).rows
    const { EventStore } = await import('./store.ts')
    const store = new EventStore(opened.store.pool)
    const line = (id: string) => `${id}\t2026-01-01T00:00:00Z\tcall.finished${'\t\\N'.repeat(19)}\t{}\n`
    await store.append('event', [line(before!.id), line(String(BigInt(before!.id) + 1n))].map(Buffer.from))
    expect((await opened.store.pool.query('select id from event')).rowCount).toBe(2)
  })

  test('changes and refusals are in the audit log too, and traffic is not', async () => {
    events.emit('connector.changed', 'files', { fields: ['headers'] }, { principal: 'user:ada' })
    events.record(finishedCall())
    events.emit('downstream.started', 'files')
    events.emit('tool.changed', 'files')
    for (let index = 0; index < 300; index++) events.emit('access.refused', null, { why: 'no key' })
    const kinds = (await traces().audit({ limit: 1000 })).events.map(({ kind: each }) => each)
    expect(kinds.filter((each) => each === 'access.refused')).toHaveLength(100)
    expect(kinds.filter((each) => each !== 'access.refused')).toEqual(['connector.changed'])
    expect((await traces().find({ kind: 'access.refused', limit: 1000 })).events).toHaveLength(300)
  })

  test('the capture level of a server decides what is stored of its calls, at once and after a restart', async () => {
    expect(trace.captureOf('reader')).toEqual({ level: 'calls', sample: 1, maxBodyBytes: 65_536 })
    await trace.management.captures.change('reader', { level: 'off' })
    events.record(finishedCall({ server: 'reader' }))
    events.record(finishedCall({ server: 'facade' }))
    const { events: found } = await traces().find({ kind: 'call.finished', limit: 10 })
    expect(found.map(({ server }) => server)).toEqual(['facade'])
    await expect(trace.management.captures.change('nobody', {})).rejects.toMatchObject({ code: 'SERVER_NOT_FOUND' })
    await trace.stop()
    trace = await open()
    expect(trace.captureOf('reader').level).toBe('off')
    expect(trace.management.captures.list().map(({ level }) => level)).toEqual(['calls', 'off'])
  })

  test('settings are kept, and the values of headers are sealed, masked and never shown', async () => {
    const headers = { authorization: `Bearer ${canary}` }
    const otlp = { endpoint: 'http://127.0.0.1:9/base', headers, metrics: false, intervalMs: 60_000 }
    await trace.management.settings.change({ days: 3, otlp })
    expect(secrets).toContain(headers.authorization)
    const { rows } = await opened.store.pool.query('select trace_setting::text as text from trace_setting')
    expect(JSON.stringify(rows)).not.toContain(canary)
    await trace.stop()
    trace = await open()
    const { headers: _, ...shown } = otlp
    const expected = { days: 3, auditDays: 400, otlp: { ...shown, headers: ['authorization'] } }
    expect(trace.management.settings.view()).toMatchObject(expected)
    // Without headers the old ones stay, unless the collector is another one.
    const moved = await trace.management.settings.change({ otlp: { ...shown, endpoint: 'http://other.invalid' } })
    expect(moved.otlp?.headers).toEqual([])
    expect((await trace.management.settings.change({ otlp: null })).otlp).toBeNull()
  })

  test('a tail shows what matches, and a slow listener is told how much it missed', async () => {
    const seen: string[] = []
    let isFull = false
    const stop = traces().listen(
      { server: 'facade', text: 'read', outcome: 'ok,refused' },
      {
        show: ({ target }) => !isFull && seen.push(target ?? '') > 0,
        showSkipped: (count) => void seen.push(`skipped ${count}`),
      },
    )
    events.record(finishedCall({ target: 'read_a' }))
    events.record(finishedCall({ target: 'write_a' }))
    events.record(finishedCall({ target: 'read_b', server: 'reader' }))
    events.record(finishedCall({ target: 'read_d', outcome: 'error' }))
    isFull = true
    for (let index = 0; index < 3; index++) events.record(finishedCall({ target: 'read_c' }))
    isFull = false
    events.record(finishedCall({ target: `read_${canary}` }))
    stop()
    events.record(finishedCall({ target: 'read_e' }))
    expect(seen).toEqual(['read_a', 'read_••••', 'skipped 3'])
    const stops = Array.from({ length: 20 }, () => traces().listen({}, { show: () => true, showSkipped: () => {} }))
    expect(() => traces().listen({}, { show: () => true, showSkipped: () => {} })).toThrow('limit')
    for (const each of stops) each()
    expect(trace.management.stats().tails).toBe(0)
  })
})

function hex(number: number, length: number): string {
  return number.toString(16).padStart(length, '0')
}

function finishedCall(fields: Partial<HubEvent> = {}): HubEvent {
  return {
    kind: 'call.finished',
    at: Date.now(),
    connector: 'notes',
    traceId: hex(1, 32),
    spanId: hex(2, 16),
    parentId: hex(3, 16),
    principal: 'operator',
    server: 'facade',
    connection: 'c-1',
    route: 'mcp:stdio',
    transport: 'stream',
    era: 'modern',
    method: 'tools/call',
    target: 'notes__search',
    requestBytes: 120,
    responseBytes: 4096,
    ms: 12.5,
    outcome: 'ok',
    data: {},
    ...fields,
  }
}
