import { AsyncLocalStorage } from 'node:async_hooks'
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type ContextManager,
} from '@opentelemetry/api'
import {
  AggregationTemporality,
  type DataPoint,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { errorCode, McpError } from '../../protocol/errors.ts'
import { emit, hasListeners, listenerFailures, type Events } from '../events.ts'
import { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts'
import { noSpan, runInSpan, spanOf } from '../span.ts'

const active = new AsyncLocalStorage<Context>()
const contexts: ContextManager = {
  active: () => active.getStore() ?? ROOT_CONTEXT,
  with: (within, run, self, ...args) => active.run(within, () => run.apply(self, args)),
  bind: (_within, target) => target,
  enable: () => contexts,
  disable: () => contexts,
}
beforeAll(() => void context.setGlobalContextManager(contexts))
afterAll(() => context.disable())

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

function install(options: OpenTelemetryOptions = {}) {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const bridge = openTelemetry({ tracerProvider, meterProvider, ...options })
  stops.push(
    () => bridge.stop(),
    () => tracerProvider.shutdown(),
    () => meterProvider.shutdown(),
  )
  const points = async (name: string) => {
    const { resourceMetrics } = await reader.collect()
    const found = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
    return found
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }): DataPoint<unknown>[] => dataPoints)
  }
  return { bridge, tracer: tracerProvider.getTracer('handler'), spans: () => spans.getFinishedSpans(), points }
}

type Start = Events['mcp.request.start']

const request = {
  server: 'weather',
  connection: 'c1',
  method: 'tools/call',
  target: 'forecast',
  requestId: 7,
  version: '2025-11-25',
  kind: 'http',
  meta: {},
} as const satisfies Omit<Start, 'key'>

function begin(changes: Partial<Start> = {}): Start {
  const start: Start = { ...request, key: {}, ...changes }
  emit('mcp.request.start', () => start)
  return start
}

function end(start: Start, changes: Partial<Events['mcp.request.end']> = {}): void {
  const { arguments: _, ...operation } = start
  emit('mcp.request.end', () => ({ ...operation, ms: 30, ...changes }))
}

test('a request is a SERVER span with the attributes of the conventions', () => {
  const { spans } = install()
  end(begin())
  const [span] = spans()
  expect(span?.name).toBe('tools/call forecast')
  expect(span?.kind).toBe(SpanKind.SERVER)
  expect(span?.status.code).toBe(SpanStatusCode.UNSET)
  expect(span?.attributes).toEqual({
    'mcp.method.name': 'tools/call',
    'jsonrpc.request.id': '7',
    'mcp.protocol.version': '2025-11-25',
    'mcp.session.id': 'c1',
    'herma.server.name': 'weather',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'gen_ai.tool.name': 'forecast',
    'gen_ai.operation.name': 'execute_tool',
  })
})

test.each([
  [{ method: 'tools/list', target: undefined }, 'tools/list', {}],
  [{ method: 'prompts/get', target: 'greet' }, 'prompts/get greet', { 'gen_ai.prompt.name': 'greet' }],
  [{ method: 'resources/read', target: 'file:///a' }, 'resources/read', { 'mcp.resource.uri': 'file:///a' }],
  [{ kind: 'stdio' as const }, 'tools/call forecast', { 'network.transport': 'pipe' }],
])('a request %o is a span named %s', (changes, name, attributes) => {
  const { spans } = install()
  end(begin(changes))
  expect(spans()[0]?.name).toBe(name)
  expect(spans()[0]?.attributes).toMatchObject(attributes)
})

test('a modern request belongs to no session, and a connection in memory to no network', () => {
  const { spans } = install()
  end(begin({ version: '2026-07-28', kind: 'memory' }))
  expect(Object.keys(spans()[0]?.attributes ?? {})).not.toContain('mcp.session.id')
  expect(Object.keys(spans()[0]?.attributes ?? {})).not.toContain('network.transport')
})

test('the URI of a resource is in the name where that was asked for, without what is secret in it', () => {
  const { spans } = install({ resourceUriInName: true })
  end(begin({ method: 'resources/read', target: 'https://ann:pass@x.test/a?token=abc&page=2' }))
  const uri = 'https://[redacted]@x.test/a?token=[redacted]&page=2'
  expect(spans()[0]?.name).toBe(`resources/read ${uri}`)
  expect(spans()[0]?.attributes['mcp.resource.uri']).toBe(uri)
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test('the parent comes from _meta, and the span of the transport is linked', () => {
  const { spans, tracer } = install()
  const transport = tracer.startSpan('POST /mcp')
  context.with(trace.setSpan(context.active(), transport), () => {
    end(begin({ meta: { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'rojo=1,congo=2' } }))
  })
  const [span] = spans()
  expect(span?.spanContext().traceId).toBe(traceId)
  expect(span?.spanContext().traceState?.serialize()).toBe('rojo=1,congo=2')
  expect(span?.parentSpanContext).toMatchObject({ spanId, isRemote: true })
  expect(span?.links.map((link) => link.context.spanId)).toEqual([transport.spanContext().spanId])
})

test.each([
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  'nonsense',
  7,
  { toString: () => 'x' },
])('without a valid traceparent (%o) the active span is the parent', (traceparent) => {
  const { spans, tracer } = install()
  const transport = tracer.startSpan('POST /mcp')
  context.with(trace.setSpan(context.active(), transport), () => end(begin({ meta: { traceparent } })))
  expect(spans()[0]?.parentSpanContext?.spanId).toBe(transport.spanContext().spanId)
  expect(spans()[0]?.links).toEqual([])
})

test('a handler has the live span, and what it starts are children of it', async () => {
  const { spans, tracer } = install()
  const start = begin()
  await runInSpan(start.key, async () => {
    spanOf(start.key).setAttribute('city', 'Oslo')
    spanOf(start.key).addEvent('asked', { source: 'met.no' })
    await Promise.resolve()
    tracer.startSpan('query').end()
    emit('mcp.client.request', () => ({ ...request, method: 'roots/list', target: undefined, ms: 5 }))
  })
  end(start)
  const [query, question, served] = spans()
  expect(served?.attributes['city']).toBe('Oslo')
  expect(served?.events.map(({ name }) => name)).toEqual(['asked'])
  expect(query?.parentSpanContext?.spanId).toBe(served?.spanContext().spanId)
  expect(question?.parentSpanContext?.spanId).toBe(served?.spanContext().spanId)
  expect([question?.name, question?.kind]).toEqual(['roots/list', SpanKind.CLIENT])
})

test('what a handler throws passes through the span', () => {
  install()
  const { key } = begin()
  const broken = new Error('broken')
  expect(() =>
    runInSpan(key, () => {
      throw broken
    }),
  ).toThrow(broken)
})

test('a failure gives the span its code, message, reference and exception', () => {
  const { spans } = install()
  const error = new McpError(errorCode.internal, 'disk full')
  end(begin(), { failure: { type: 'internal', code: errorCode.internal, error, reference: 'ref-1' } })
  const [span] = spans()
  expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'disk full' })
  expect(span?.attributes).toMatchObject({
    'error.type': '-32603',
    'rpc.response.status_code': '-32603',
    'herma.error.reference': 'ref-1',
  })
  expect(span?.events.map(({ name }) => name)).toEqual(['exception'])
})

test('a tool that says it failed is a tool_error without a status code', () => {
  const { spans } = install()
  end(begin(), { isError: true })
  expect(spans()[0]?.status.code).toBe(SpanStatusCode.ERROR)
  expect(spans()[0]?.attributes['error.type']).toBe('tool_error')
  expect(spans()[0]?.attributes['rpc.response.status_code']).toBeUndefined()
})

test('arguments are recorded only when asked, cut, and without secrets', () => {
  const args = {
    city: 'Oslo',
    apiKey: 'secret-1',
    nested: { access_token: 'secret-2', header: 'Bearer secret-3' },
    maxTokens: 5,
    long: 'x'.repeat(10_000),
  }
  const silent = install()
  end(begin({ arguments: args }))
  expect(JSON.stringify(silent.spans()[0]?.attributes)).not.toContain('Oslo')
  silent.bridge.stop()

  const { spans } = install({ recordArguments: true })
  end(begin({ arguments: args }))
  end(begin({ method: 'prompts/get', arguments: args }))
  const recorded = String(spans()[0]?.attributes['gen_ai.tool.call.arguments'])
  expect(recorded).toContain('"city":"Oslo"')
  expect(recorded).toContain('"maxTokens":5')
  expect(recorded).not.toContain('secret-')
  expect(recorded.length).toBe(4097)
  expect(JSON.stringify(spans()[1]?.attributes)).not.toContain('Oslo')
})

test('durations are histograms in seconds with the recommended buckets', async () => {
  const { points } = install()
  end(begin(), { ms: 1500 })
  emit('mcp.client.request', () => ({ ...request, method: 'elicitation/create', target: undefined, ms: 20 }))
  const closed = { server: 'weather', connection: 'c1', kind: 'http', version: '2025-11-25', ms: 90_000 } as const
  emit('mcp.connection.closed', () => ({ ...closed, reason: 'idle' }))
  emit('mcp.connection.closed', () => ({ ...closed, reason: 'lost' }))
  const [served] = await points('mcp.server.operation.duration')
  expect(served?.value).toMatchObject({
    sum: 1.5,
    count: 1,
    buckets: { boundaries: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] },
  })
  expect(served?.attributes).toEqual({
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2025-11-25',
    'herma.server.name': 'weather',
    'network.transport': 'tcp',
    'network.protocol.name': 'http',
    'gen_ai.tool.name': 'forecast',
    'gen_ai.operation.name': 'execute_tool',
  })
  expect((await points('mcp.client.operation.duration'))[0]?.value).toMatchObject({ sum: 0.02 })
  const sessions = await points('mcp.server.session.duration')
  expect(sessions.map(({ attributes }) => attributes['error.type'])).toEqual([undefined, 'lost'])
})

test('names that clients make up do not multiply the metrics', async () => {
  const { points } = install()
  const failure = (code: number) => ({ type: 'unknown', code, error: new Error('unknown') })
  for (let index = 0; index < 20; index++) {
    end(begin({ target: `invented-${index}` }), { failure: failure(errorCode.invalidParams) })
    end(begin({ method: `invented/${index}`, target: undefined }), { failure: failure(errorCode.methodNotFound) })
  }
  expect(await points('mcp.server.operation.duration')).toHaveLength(2)
})

test('what fails inside the bridge is counted, and the handler still runs', () => {
  const broken = {
    getTracer: () => ({
      startSpan: () => {
        throw new Error('no exporter')
      },
    }),
  }
  install({ tracerProvider: broken as unknown as BasicTracerProvider })
  const before = listenerFailures().get('mcp.request.start') ?? 0
  const start = begin()
  expect(runInSpan(start.key, () => 'answered')).toBe('answered')
  expect(spanOf(start.key)).toBe(noSpan)
  end(start)
  expect(listenerFailures().get('mcp.request.start')).toBe(before + 1)
})

test('without the bridge there is no span, and after stop nobody listens', () => {
  const before = {}
  expect(spanOf(before)).toBe(noSpan)
  expect(runInSpan(before, () => 1)).toBe(1)
  const { bridge } = install()
  expect(() => openTelemetry()).toThrow(/Call stop\(\) of the first one/)
  bridge.stop()
  expect(
    (['mcp.request.start', 'mcp.request.end', 'mcp.client.request', 'mcp.connection.closed'] as const).filter(
      hasListeners,
    ),
  ).toEqual([])
  openTelemetry().stop()
})
