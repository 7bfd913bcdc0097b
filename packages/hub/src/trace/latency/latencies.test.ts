import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Events, type HubEvent } from '../../platform/events.ts'
import { createLog } from '../../platform/log.ts'
import { openTestStore, type TestStore } from '../../platform/testing/test-store.ts'
import { openTrace, type OpenTrace } from '../index.ts'
import { Latencies } from './latencies.ts'
import { LatencyStore } from './latency-store.ts'
import { SearchGate } from '../search-gate.ts'
import { EventStore } from '../store.ts'

let opened: TestStore
let trace: OpenTrace
let events: Events

beforeAll(async () => {
  opened = await openTestStore('embedded')
})
afterAll(() => opened.close())
beforeEach(async () => {
  await opened.store.pool.query('truncate event')
  events = new Events()
  trace = await openTrace({
    store: opened.store,
    events,
    log: createLog('silent'),
    version: '0',
    masks: { redact: (text) => text.replaceAll('hush', '••••'), redactValue: (value) => value },
    seals: { seal: (text) => text, open: (text) => text },
    servers: () => ['facade', 'reader'],
    onSecrets: () => undefined,
    resolveSecrets: (text) => text,
    metrics: () => [],
  })
  return () => trace.stop()
})

function record(fields: Partial<HubEvent>): void {
  const call = { kind: 'call.finished', at: Date.now(), connector: 'files', server: 'facade', data: {} }
  events.record({ ...call, method: 'tools/call', outcome: 'ok', ...fields })
}

test('percentiles count calls and nothing else, and a stretch without calls is a gap', async () => {
  for (let ms = 1; ms <= 100; ms++) record({ ms })
  record({
    ms: 10_000,
    kind: 'step.finished',
    outcome: 'error',
    data: { error: 'hush, it broke' },
    traceId: 'a'.repeat(32),
  })
  record({ ms: 1, method: 'tools/list' })
  record({ ms: 99_999, outcome: 'refused' })
  record({ ms: 99_999, outcome: 'cancelled' })
  record({ ms: 99_999, connector: 'other' })
  const { points, total, lastError, stepMs, from, to } = await trace.management.latencies.report({
    connector: 'files',
    minutes: 60,
  })
  expect(total).toEqual({ count: 101, errors: 1, p50: 51, p95: 96, p99: 100 })
  expect(points.length).toBeLessThanOrEqual(2)
  expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(101)
  expect((Date.parse(to) - Date.parse(from)) / stepMs).toBe(120)
  expect(lastError).toEqual({ at: expect.any(String), message: '••••, it broke', traceId: 'a'.repeat(32) })
})

test('a server is measured by the calls of its clients, a session by its turns, and nobody by nothing', async () => {
  record({ ms: 5, server: 'reader', connector: null, outcome: 'tool-error' })
  record({ ms: 7, kind: 'turn.finished', session: 'coder', method: undefined, server: 'reader', connector: null })
  const { latencies } = trace.management
  expect((await latencies.report({ server: 'reader', minutes: 1 })).total).toMatchObject({
    count: 1,
    errors: 1,
    p99: 5,
  })
  expect((await latencies.report({ session: 'coder', minutes: 10_080 })).total).toMatchObject({ count: 1, p50: 7 })
  expect(await latencies.report({ session: 'nobody', minutes: 60 })).toMatchObject({
    points: [],
    total: { count: 0, errors: 0, p50: null, p95: null, p99: null },
    lastError: null,
  })
  await expect(latencies.report({ minutes: 60 })).rejects.toThrow(/Name one/)
  await expect(latencies.report({ server: 'a', session: 'b', minutes: 60 })).rejects.toThrow(/Name one/)
})

test('a summary has a line for everything that there is, with or without calls', async () => {
  record({ ms: 4 })
  record({ ms: 6, kind: 'step.finished', server: 'reader' })
  record({ ms: 8, connector: 'removed' })
  const { connectors, servers } = await trace.management.latencies.summary(60, {
    connectors: ['files', 'idle'],
    servers: ['facade', 'reader'],
  })
  expect(connectors).toEqual([
    { name: 'files', count: 2, errors: 0, p50: 5, p95: 5.9, spark: expect.any(Array) },
    { name: 'idle', count: 0, errors: 0, p50: null, p95: null, spark: Array.from({ length: 24 }, () => null) },
  ])
  expect(connectors[0]?.spark.filter((each) => each !== null)).toEqual([5])
  // What is made inside of a call is part of that call already.
  expect(servers.map(({ name, count }) => [name, count])).toEqual([
    ['facade', 2],
    ['reader', 0],
  ])
})

test('questions that come at once share one answer, and a failure is not kept', async () => {
  let asked = 0
  const store = new LatencyStore(new EventStore(opened.store.pool))
  const latencies = new Latencies({
    store: {
      one: (...subject) => store.one(...subject),
      lastError: (...subject) => store.lastError(...subject),
      all: async (span) => (++asked === 1 ? Promise.reject(new Error('broken')) : store.all(span)),
    },
    gate: new SearchGate(),
    redact: (text) => text,
    settle: async () => undefined,
  })
  await expect(latencies.summary(60, { connectors: [], servers: [] })).rejects.toThrow('broken')
  await Promise.all([
    latencies.summary(60, { connectors: [], servers: [] }),
    latencies.summary(60, { connectors: [], servers: [] }),
  ])
  await latencies.summary(5, { connectors: [], servers: [] })
  expect(asked).toBe(3)
})
