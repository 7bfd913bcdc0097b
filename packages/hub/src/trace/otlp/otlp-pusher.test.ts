import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import type { RecordedEvent } from '../record/event-row.ts'
import type { OtlpTarget } from '../setting/trace-settings-registry.ts'
import { OtlpPusher } from './otlp-pusher.ts'

interface Sent {
  readonly resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[]
  readonly resourceMetrics: { scopeMetrics: { metrics: unknown[] }[] }[]
}

let collector: Server
let received: { url: string; headers: IncomingHttpHeaders; body: Sent }[] = []
let answer: (index: number) => number = () => 200
let target: OtlpTarget | null

beforeEach(async () => {
  received = []
  answer = () => 200
  collector = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Sent
      received.push({ url: request.url ?? '', headers: request.headers, body })
      const status = answer(received.length)
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('{}')
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  target = {
    endpoint: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/base/`,
    headers: { authorization: 'Bearer {secret:OTLP}' },
    metrics: false,
    intervalMs: 60_000,
  }
})
afterEach(async () => {
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
})

function openPusher(): OtlpPusher {
  return new OtlpPusher({
    version: '1.2.3',
    log: createLog('silent'),
    target: () => target,
    resolveSecrets: (text) => text.replace('{secret:OTLP}', 'hunter2'),
    redact: (text) => text.replaceAll('hunter2', '••••'),
    metrics: () => [
      { name: 'connections', help: 'Clients.', kind: 'gauge', read: () => 3 },
      {
        name: 'wait_seconds',
        help: 'Waits.',
        kind: 'histogram',
        bounds: [1],
        read: () => [{ labels: { server: 'facade' }, counts: [2, 1], sum: 4.5 }],
      },
    ],
  })
}

function call(index: number, kind = 'call.finished'): RecordedEvent {
  const spanId = index.toString(16).padStart(16, '0')
  const event = {
    kind,
    at: 1000,
    connector: null,
    data: {},
    traceId: 'a'.repeat(32),
    spanId,
    parentId: 'b'.repeat(16),
    ms: 5,
  }
  return {
    id: String(index),
    event,
    method: 'tools/call',
    target: 'echo',
    session: undefined,
    thread: undefined,
    data: '{}',
  }
}

const spansOf = (index: number) => received[index]!.body.resourceSpans[0]!.scopeSpans[0]!.spans

test('spans of finished calls reach the collector in batches, with its headers and their parents', async () => {
  const pusher = openPusher()
  for (let index = 1; index <= 1200; index++) pusher.take(call(index))
  pusher.take(call(1, 'connector.added'))
  await pusher.push()
  expect(received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/base/v1/traces', 'Bearer hunter2'],
    ['/base/v1/traces', 'Bearer hunter2'],
  ])
  expect([spansOf(0).length, spansOf(1).length]).toEqual([1000, 200])
  expect(spansOf(0)[0]).toMatchObject({
    name: 'tools/call echo',
    spanId: '0000000000000001',
    parentSpanId: 'b'.repeat(16),
    startTimeUnixNano: '1000000000',
    endTimeUnixNano: '1005000000',
  })
  expect(pusher.stats()).toMatchObject({ sent: 1200, dropped: 0, queued: 0, lastError: null })
})

test('a collector that is busy gets the spans later, and one that refuses them is not asked again', async () => {
  const pusher = openPusher()
  pusher.take(call(1))
  answer = (index) => (index === 1 ? 503 : 200)
  await pusher.push()
  expect(pusher.stats()).toMatchObject({ sent: 0, queued: 1, lastError: { message: expect.stringContaining('503') } })
  await pusher.push()
  expect(pusher.stats()).toMatchObject({ sent: 1, queued: 0 })
  answer = () => 401
  pusher.take(call(2))
  await pusher.push()
  expect(pusher.stats()).toMatchObject({ sent: 1, dropped: 1, queued: 0 })
})

test('a redirect is not followed, because it would carry the headers somewhere else', async () => {
  const pusher = openPusher()
  answer = () => 302
  pusher.take(call(1))
  await pusher.push()
  expect(received.map(({ url }) => url)).toEqual(['/base/v1/traces'])
  expect(pusher.stats()).toMatchObject({ sent: 0, queued: 1 })
})

test('the queue has an end, and what does not fit is counted', async () => {
  const pusher = openPusher()
  for (let index = 0; index < 10_050; index++) pusher.take(call(index))
  expect(pusher.stats()).toMatchObject({ queued: 10_000, dropped: 50 })
  target = null
  pusher.restart()
  expect(pusher.stats()).toMatchObject({ queued: 0, dropped: 10_050 })
  pusher.take(call(1))
  await pusher.stop()
  expect(received).toEqual([])
})

test('figures are sent too, when they are wanted', async () => {
  const pusher = openPusher()
  target = { ...target!, metrics: true }
  await pusher.stop()
  expect(received.map(({ url }) => url)).toEqual(['/base/v1/metrics'])
  const { metrics } = received[0]!.body.resourceMetrics[0]!.scopeMetrics[0]!
  expect(metrics).toMatchObject([
    { name: 'herma.connections', gauge: { dataPoints: [{ asDouble: 3 }] } },
    {
      name: 'herma.wait_seconds',
      unit: 's',
      histogram: { dataPoints: [{ count: '3', sum: 4.5, bucketCounts: ['2', '1'], explicitBounds: [1] }] },
    },
  ])
})
