import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { errorCode, McpError } from '../protocol/errors.ts'
import { emit, hasListeners, listenerFailures, on, type EventName, type Events } from './events.ts'
import { logTo, type LogOptions } from './log-to.ts'
import { prometheus, prometheusContentType, type PrometheusOptions } from './prometheus/prometheus.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const at = { server: 'weather', connection: 'c1' }
const operation = {
  ...at,
  requestId: 7,
  version: '2025-11-25',
  kind: 'http',
  principal: 'ann',
  meta: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', secret: 'meta-secret' },
  ms: 30,
} as const
const call = { ...operation, method: 'tools/call', target: 'forecast' }
const key = {}

/** One of each kind; the compiler sees to it that none is forgotten. */
const everyEvent: { readonly [Name in EventName]: Events[Name] } = {
  'mcp.server.start': { ...at, version: '1.2.3' },
  'mcp.transport.open': { ...at, kind: 'http', address: '127.0.0.1:3000' },
  'mcp.connection.opened': { ...at, kind: 'http', version: '2025-11-25' },
  'mcp.connection.restored': { ...at, kind: 'sse' },
  'mcp.request.start': { ...call, key, arguments: { city: 'argument-secret' } },
  'mcp.notification.received': { ...at, method: 'notifications/initialized' },
  'mcp.notification.sent': { ...at, method: 'notifications/tools/list_changed' },
  'mcp.tool.call': { ...call, isError: false },
  'mcp.resource.read': { ...operation, method: 'resources/read', target: 'file:///a?token=uri-secret' },
  'mcp.prompt.get': { ...operation, method: 'prompts/get', target: 'greet' },
  'mcp.client.request': { ...operation, method: 'elicitation/create', target: undefined },
  'mcp.progress': { ...at, requestId: 7, done: 1, total: 2 },
  'mcp.request.end': { ...call, key, ms: 30.00012345 },
  'mcp.batch': { ...at, size: 3 },
  'mcp.auth': { ...at, outcome: 'expired', status: 401 },
  'mcp.cluster.node': { ...at, change: 'up', node: 'n2' },
  'mcp.child.restart': { child: 'http', attempt: 2, error: new Error('The port is taken.') },
  'mcp.error': { ...at, error: new Error('disk full', { cause: new Error('ENOSPC') }), reference: 'ref-1' },
  'mcp.transport.error': { ...at, kind: 'http', error: new Error('reset') },
  'mcp.connection.closed': { ...at, kind: 'http', reason: 'idle', ms: 90_000 },
  'mcp.transport.close': { ...at, kind: 'http' },
  'mcp.server.stop': at,
}
const eventNames = Object.keys(everyEvent) as EventName[]

function publishAll(): void {
  for (const name of eventNames) emit(name, () => everyEvent[name])
}

function collect(options?: PrometheusOptions) {
  const metrics = prometheus(options)
  stops.push(() => metrics.stop())
  return { metrics, samples: () => parseSamples(metrics.text()) }
}

function follow(options?: LogOptions) {
  const lines: string[] = []
  stops.push(logTo((line) => lines.push(line), options))
  return { lines, entries: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

/** The text format 0.0.4: each sample by its name with labels, as `name{a="b"}`. */
function parseSamples(text: string): Map<string, number> {
  expect(text.endsWith('\n')).toBe(true)
  const samples = new Map<string, number>()
  const typed = new Set<string>()
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) (\S+) .+$/.exec(line)
    if (comment !== null) {
      if (comment[1] === 'TYPE') typed.add(comment[2] ?? '')
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*)(\{(?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)*\})? (\S+)$/.exec(line)
    expect(sample, line).not.toBeNull()
    const [, name = '', labels = '', value] = sample ?? []
    expect(typed.has(name) || typed.has(name.replace(/_(bucket|sum|count)$/, '')), line).toBe(true)
    expect(samples.has(name + labels), `twice: ${line}`).toBe(false)
    samples.set(name + labels, Number(value))
  }
  return samples
}

test('Prometheus gets a sample for each kind of event', () => {
  const { samples } = collect()
  publishAll()
  expect(Object.fromEntries([...samples()].filter(([name]) => !/_bucket|listener_failures/.test(name)))).toEqual({
    'mcp_servers_up{server="weather"}': 0,
    'mcp_requests_total{server="weather",method="tools/call",outcome="ok"}': 1,
    'mcp_request_duration_seconds_sum{server="weather",method="tools/call"}': 0.03000012345,
    'mcp_request_duration_seconds_count{server="weather",method="tools/call"}': 1,
    'mcp_requests_in_flight{server="weather"}': 0,
    'mcp_tool_calls_total{server="weather",tool="forecast",outcome="ok"}': 1,
    'mcp_tool_call_duration_seconds_sum{server="weather",tool="forecast"}': 0.03,
    'mcp_tool_call_duration_seconds_count{server="weather",tool="forecast"}': 1,
    'mcp_resource_reads_total{server="weather",outcome="ok"}': 1,
    'mcp_prompt_gets_total{server="weather",prompt="greet",outcome="ok"}': 1,
    'mcp_client_requests_total{server="weather",method="elicitation/create",outcome="ok"}': 1,
    'mcp_client_request_duration_seconds_sum{server="weather",method="elicitation/create"}': 0.03,
    'mcp_client_request_duration_seconds_count{server="weather",method="elicitation/create"}': 1,
    'mcp_connections_open{server="weather",kind="http"}': 0,
    'mcp_connections_open{server="weather",kind="sse"}': 1,
    'mcp_connections_opened_total{server="weather",kind="http",version="2025-11-25"}': 1,
    'mcp_connections_restored_total{server="weather",kind="sse"}': 1,
    'mcp_connections_closed_total{server="weather",kind="http",reason="idle"}': 1,
    'mcp_connection_duration_seconds_sum{server="weather",kind="http"}': 90,
    'mcp_connection_duration_seconds_count{server="weather",kind="http"}': 1,
    'mcp_notifications_received_total{server="weather",method="notifications/initialized"}': 1,
    'mcp_notifications_sent_total{server="weather",method="notifications/tools/list_changed"}': 1,
    'mcp_progress_total{server="weather"}': 1,
    'mcp_batches_total{server="weather"}': 1,
    'mcp_batch_messages_total{server="weather"}': 3,
    'mcp_auth_total{server="weather",outcome="expired"}': 1,
    'mcp_transports_open{server="weather",kind="http"}': 0,
    'mcp_transport_errors_total{server="weather",kind="http"}': 1,
    'mcp_cluster_changes_total{server="weather",change="up"}': 1,
    'mcp_child_restarts_total{child="http"}': 1,
    'mcp_errors_total{server="weather",masked="true"}': 1,
  })
})

test('the buckets of a histogram count everything up to their bound', () => {
  const { samples } = collect({ prefix: 'my_', buckets: [0.01, 0.05, 1] })
  for (const ms of [5, 50, 700, 2000]) emit('mcp.tool.call', () => ({ ...call, ms, isError: false }))
  const found = samples()
  const upTo = (bound: string) =>
    found.get(`my_tool_call_duration_seconds_bucket{server="weather",tool="forecast",le="${bound}"}`)
  expect(['0.01', '0.05', '1', '+Inf'].map(upTo)).toEqual([1, 2, 3, 4])
})

test('outcomes tell a failed tool from a failed request', () => {
  const { samples } = collect()
  emit('mcp.tool.call', () => ({ ...call, isError: true }))
  emit('mcp.tool.call', () => ({ ...call, isError: true, failure: { type: 'timeout', error: new Error('late') } }))
  emit('mcp.connection.closed', () => ({ ...at, kind: 'http', reason: new McpError(-32_000, 'gone'), ms: 1 }))
  const found = samples()
  expect(found.get('mcp_tool_calls_total{server="weather",tool="forecast",outcome="tool_error"}')).toBe(1)
  expect(found.get('mcp_tool_calls_total{server="weather",tool="forecast",outcome="timeout"}')).toBe(1)
  expect(found.get('mcp_connections_closed_total{server="weather",kind="http",reason="error"}')).toBe(1)
})

test('names past the bound, and names that nothing has, share one series', () => {
  const { samples } = collect({ maxTargets: 2 })
  const unknown = { type: 'invalid_params', code: errorCode.invalidParams, error: new Error('no such tool') }
  for (let index = 0; index < 50; index++) {
    emit('mcp.tool.call', () => ({ ...call, target: `invented-${index}`, isError: false, failure: unknown }))
    const failure = { type: 'method_not_found', code: errorCode.methodNotFound, error: new Error('no such method') }
    emit('mcp.request.end', () => ({ ...call, method: `invented/${index}`, key: {}, failure }))
  }
  for (const target of ['a', 'b', 'c', 'd']) emit('mcp.tool.call', () => ({ ...call, target, isError: false }))
  emit('mcp.tool.call', () => ({ ...call, target: 'a', isError: false, failure: unknown }))
  const found = [...samples()].filter(([name]) => /^mcp_(tool_calls|requests)_total/.test(name))
  expect(Object.fromEntries(found)).toEqual({
    'mcp_requests_total{server="weather",method="other",outcome="method_not_found"}': 50,
    'mcp_tool_calls_total{server="weather",tool="other",outcome="invalid_params"}': 50,
    'mcp_tool_calls_total{server="weather",tool="a",outcome="ok"}': 1,
    'mcp_tool_calls_total{server="weather",tool="b",outcome="ok"}': 1,
    'mcp_tool_calls_total{server="weather",tool="other",outcome="ok"}': 2,
    'mcp_tool_calls_total{server="weather",tool="a",outcome="invalid_params"}': 1,
  })
})

test('a server that only a refused caller named gets no series', () => {
  const { samples } = collect()
  emit('mcp.connection.opened', () => everyEvent['mcp.connection.opened'])
  for (let index = 0; index < 200; index++) {
    emit('mcp.auth', () => ({ server: `invented-${index}.test`, outcome: 'missing', status: 401 }))
    emit('mcp.error', () => ({ server: `invented-${index}.test`, error: new Error('issuer') }))
  }
  emit('mcp.auth', () => ({ server: 'weather', outcome: 'missing', status: 401 }))
  emit('mcp.error', () => ({ server: '', error: new Error('of the process') }))
  const found = [...samples()].filter(([name]) => /^mcp_(auth|errors)_total/.test(name))
  expect(Object.fromEntries(found)).toEqual({
    'mcp_auth_total{server="other",outcome="missing"}': 200,
    'mcp_auth_total{server="weather",outcome="missing"}': 1,
    'mcp_errors_total{server="other",masked="false"}': 200,
    'mcp_errors_total{server="",masked="false"}': 1,
  })
})

test('label values are escaped', () => {
  const { samples } = collect()
  emit('mcp.progress', () => ({ server: 'a "quoted"\nback\\slash', requestId: 1, done: 1 }))
  expect([...samples().keys()]).toContain('mcp_progress_total{server="a \\"quoted\\"\\nback\\\\slash"}')
})

test('gauges are right for what began before the counting', () => {
  const { samples } = collect()
  emit('mcp.request.end', () => ({ ...call, key: {} }))
  emit('mcp.connection.closed', () => ({ ...at, kind: 'http', reason: 'client', ms: 1 }))
  const running = {}
  emit('mcp.request.start', () => ({ ...call, key: running }))
  const found = samples()
  expect(found.get('mcp_requests_in_flight{server="weather"}')).toBe(1)
  expect(found.get('mcp_connections_open{server="weather",kind="http"}')).toBe(0)
})

test('the handler answers a scrape with the content type of the format', async () => {
  const { metrics } = collect()
  publishAll()
  const http = createServer((request, response) => metrics.handler(request, response)).listen(0, '127.0.0.1')
  stops.push(() => http.close())
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/metrics`
  const answer = await fetch(url)
  expect(answer.headers.get('content-type')).toBe(prometheusContentType)
  expect(parseSamples(await answer.text()).size).toBeGreaterThan(20)
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const post = await fetch(url, { method: 'POST' })
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test.each([
  [{ prefix: '1mcp' }, /no digit first/],
  [{ prefix: 'a b' }, /Use letters/],
  [{ buckets: [1, 1] }, /that rise/],
  [{ buckets: [] }, /that rise/],
  [{ buckets: [1, Infinity] }, /that rise/],
  [{ maxTargets: 0 }, /above 0/],
])('prometheus(%o) is refused with what to write instead', (options, message) => {
  expect(() => prometheus(options)).toThrow(message)
  expect(eventNames.filter(hasListeners)).toEqual([])
})

test('the dashboard asks only for metrics that exist, and for labels that they have', () => {
  const { metrics, samples } = collect()
  publishAll()
  stops.push(on('mcp.batch', () => fail()))
  emit('mcp.batch', () => ({ ...at, size: 1 }))
  const found = [...samples().keys()].map((sample) => sample.split('{'))
  const labelsOf = new Map(
    found.map(([name, labels = '']) => [name, [...labels.matchAll(/(\w+)="/g)].map((m) => m[1])]),
  )

  const dashboard = readFileSync(new URL('../../../../docs/grafana/framework.json', import.meta.url), 'utf8')
  const queries = [...dashboard.matchAll(/"(?:expr|query|definition)": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, json = '']) => JSON.parse(json) as string,
  )
  expect(queries.length).toBeGreaterThan(15)
  const used = new Set<string>()
  for (const query of queries) {
    for (const [, name = '', matchers = ''] of query.matchAll(/\b(mcp_\w+)(?:\{([^}]*)\})?/g)) {
      used.add(name)
      expect(labelsOf.has(name), `${name} in ${query}`).toBe(true)
      for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) expect(labelsOf.get(name)).toContain(label)
    }
  }
  const families = [...metrics.text().matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  const shown = (name = '') => [name, `${name}_bucket`, `${name}_count`].some((series) => used.has(series))
  expect(families.map(([, name]) => name).filter((name) => !shown(name))).toEqual([])
})

test('the log has one JSON line for each event, without arguments, _meta or secrets in URIs', () => {
  const { lines, entries } = follow({ level: 'debug' })
  publishAll()
  expect(entries().map(({ event }) => event)).toEqual(eventNames)
  for (const line of lines) expect(line).toMatch(/^\{.*\}\n$/)
  expect(lines.join('')).not.toMatch(/argument-secret|meta-secret|uri-secret|traceparent/)
  expect(entries().find(({ event }) => event === 'mcp.request.end')).toEqual({
    time: expect.any(String),
    level: 'info',
    event: 'mcp.request.end',
    server: 'weather',
    connection: 'c1',
    kind: 'http',
    version: '2025-11-25',
    method: 'tools/call',
    requestId: 7,
    principal: 'ann',
    ms: 30,
    target: 'forecast',
  })
})

test('the log shows an error with its stack, its cause and the reference that the client got', () => {
  const { entries } = follow({ level: 'error' })
  publishAll()
  expect(entries().map(({ event }) => event)).toEqual(['mcp.error', 'mcp.transport.error'])
  expect(entries()[0]).toMatchObject({
    reference: 'ref-1',
    error: {
      message: 'disk full',
      stack: expect.stringContaining('every-event.test.ts'),
      cause: { message: 'ENOSPC' },
    },
  })
})

test('a failed request is a warning with its outcome, code and error', () => {
  const { entries } = follow({ level: 'warn' })
  const failure = { type: 'denied', code: errorCode.denied, error: new Error('no scope') }
  emit('mcp.request.end', () => ({ ...call, key: {}, failure }))
  emit('mcp.request.end', () => ({ ...call, key: {}, isError: true }))
  emit('mcp.request.end', () => ({ ...call, key: {} }))
  expect(entries()).toEqual([
    expect.objectContaining({ outcome: 'denied', code: -32_003, error: expect.objectContaining({ name: 'Error' }) }),
    expect.objectContaining({ level: 'warn', isError: true }),
  ])
})

test('nobody listens to what the level leaves out', () => {
  follow({ level: 'error' })
  expect(eventNames.filter(hasListeners)).not.toContain('mcp.request.start')
  expect(() => logTo(undefined, { level: 'loud' as 'info' })).toThrow(/Use one of: debug, info, warn, error/)
})

test('a listener that throws is counted and warned of once, and the others still hear', async () => {
  const warned: Error[] = []
  // Those of other tests may arrive late.
  const hear = (warning: Error) => warning.message.includes("'mcp.progress'") && warned.push(warning)
  process.on('warning', hear)
  stops.push(() => process.off('warning', hear))
  const before = listenerFailures().get('mcp.progress') ?? 0
  stops.push(on('mcp.progress', () => fail()))
  const { samples } = collect()
  for (let count = 0; count < 3; count++) emit('mcp.progress', () => everyEvent['mcp.progress'])
  await new Promise((resolve) => setImmediate(resolve))
  expect(warned.map(({ name }) => name)).toEqual(['TelemetryWarning'])
  const found = samples()
  expect(found.get('mcp_progress_total{server="weather"}')).toBe(3)
  expect(found.get('mcp_listener_failures_total{event="mcp.progress"}')).toBe(before + 3)
})

test('after stop nobody listens, and events are not even described', () => {
  const metrics = prometheus()
  const end = logTo(() => {})
  metrics.stop()
  metrics.stop()
  end()
  expect(eventNames.filter(hasListeners)).toEqual([])
  for (const name of eventNames) emit(name, () => fail())
  expect(parseSamples(metrics.text()).get('mcp_progress_total{server="weather"}')).toBeUndefined()
})

function fail(): never {
  throw new Error('This listener is broken.')
}
