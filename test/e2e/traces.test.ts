import { createServer, type Server } from 'node:http'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventPage, TraceFormat, type EventView, type Trace } from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const password = 'correct-horse-battery'

let hub: TestHub
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herma-traces-'))
  hub = await startTestHub({ connectors: [stdioConnector('every', [serverProgram('everything')])] })
  await ask('PATCH', '/api/traces/capture/facade', { level: 'bodies' })
  await call('every__echo', { message: 'needle in a haystack', password })
  await call('every__get-sum', { a: 1, b: 2 })
})
afterAll(async () => {
  await hub?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await hub.api(method, path, body)
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as Body
}

async function call(name: string, args: object, headers: Record<string, string> = {}): Promise<void> {
  const answer = await new WireClient(hub.endpoint, headers).requestModern('tools/call', { name, arguments: args })
  expect(answer.message?.result).toBeDefined()
}

async function herma(...words: string[]) {
  const { terminal, written } = captureTerminal({ env: { HERMA_STATE_HOME: hub.stateHome } })
  const exitCode = await runCli(words, terminal)
  return { exitCode, ...written }
}

async function findCall(target: string): Promise<EventView> {
  return waitFor(async () => {
    const { events } = await ask<EventPage>('GET', `/api/traces?kind=call.finished&target=${target}&limit=1`)
    return events[0]
  })
}

test('a call is found by who, what and words, and its trace tells everything but the secret', async () => {
  const found = await findCall('every__echo')
  expect(found).toMatchObject({
    kind: 'call.finished',
    connector: 'every',
    principal: 'operator',
    server: 'facade',
    route: 'mcp:stdio',
    transport: 'stream',
    era: 'modern',
    method: 'tools/call',
    outcome: 'ok',
  })
  const trace = await ask<Trace>('GET', `/api/traces/${found.traceId}`)
  expect(trace.events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['message.received', 'route.chosen', 'message.sent', 'call.finished']),
  )
  expect(JSON.stringify(trace)).toContain('needle in a haystack')
  expect(JSON.stringify(trace)).not.toContain(password)
  const page = EventPage.parse(await ask('GET', '/api/traces?text=haystack&principal=operator&limit=1'))
  expect(page.events).toHaveLength(1)
  expect(page.next).not.toBeNull()
})

test('every form of a download holds the call, as a file with a name', async () => {
  const { traceId } = await findCall('every__echo')
  for (const format of TraceFormat.options) {
    const response = await fetch(`${hub.url}/api/traces/${traceId}/download?format=${format}`, {
      headers: hub.operator,
    })
    const text = await response.text()
    expect([format, response.status, text.includes('every__echo')]).toEqual([format, 200, true])
    expect(response.headers.get('content-disposition')).toContain(`trace-${traceId}`)
    expect(text).not.toContain(password)
    // A span holds no arguments.
    expect(text.includes('needle in a haystack')).toBe(format !== 'otlp')
  }
})

test('wrong questions are answered with what is wrong', async () => {
  const status = async (path: string) => (await hub.api('GET', path)).status
  expect(await status('/api/traces/nonsense')).toBe(422)
  expect(await status(`/api/traces/${'0'.repeat(32)}`)).toBe(404)
  expect(await status('/api/traces?from=yesterday')).toBe(422)
  expect(await status('/api/traces?cursor=x')).toBe(422)
  expect(await status('/api/traces?outcome=fine')).toBe(422)
  expect((await hub.api('PATCH', '/api/traces/capture/nobody', { level: 'off' })).status).toBe(404)
  expect((await hub.api('PATCH', '/api/traces/settings', { days: 0 })).status).toBe(422)
  expect((await hub.api('PATCH', '/api/traces/settings', { otlp: { endpoint: 'file:///x' } })).status).toBe(422)
})

test('the live tail shows a call as it happens, and only what was asked for', async () => {
  const cut = new AbortController()
  const response = await fetch(`${hub.url}/api/traces/tail?kind=call.finished&target=every__echo`, {
    headers: hub.operator,
    signal: cut.signal,
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await call('every__get-sum', { a: 1, b: 1 })
  await call('every__echo', { message: 'tailed' })
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('\n\n')) break
  }
  expect(text).toMatch(/^event: event\ndata: \{/)
  expect(text).toContain('every__echo')
  expect(text).not.toContain('get-sum')
  cut.abort()
  const stats = () => ask<{ tails: number }>('GET', '/api/traces/stats')
  await waitFor(async () => ((await stats()).tails === 0 ? true : undefined))
})

test('the command line compares two traces', async () => {
  await call('every__get-sum', { a: 30, b: 3 })
  const sums = await waitFor(async () => {
    const { events } = await ask<EventPage>('GET', '/api/traces?kind=call.finished&target=every__get-sum&limit=2')
    return events.length === 2 ? events : undefined
  })
  const [newer = '', older = ''] = sums.map(({ traceId }) => traceId)
  const { out, exitCode } = await herma('traces', 'compare', older, newer, '--json')
  expect(exitCode).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    traces: [
      { traceId: older, call: { target: 'every__get-sum' } },
      { traceId: newer, call: { outcome: 'ok' } },
    ],
    request: expect.arrayContaining([expect.objectContaining({ path: 'arguments.a', after: 30 })]),
    response: expect.arrayContaining([
      expect.objectContaining({ path: 'result.content[0].text', after: expect.stringContaining('33') }),
    ]),
  })
  expect((await herma('traces', 'compare', older, older)).out).toMatch(
    /What was asked\nThe same\.[^]*answered\nThe same\./,
  )
  expect((await herma('traces', 'compare', older, 'f'.repeat(32))).exitCode).toBe(4)
})

test('the command line lists, shows, exports and replays what was recorded', async () => {
  const { traceId = '' } = await findCall('every__get-sum')
  expect((await herma('traces', 'list', '--target', 'every__get-sum')).out).toContain(traceId)
  expect((await herma('traces', 'show', traceId)).out).toMatch(/=+\.* .*call\.finished/)
  expect((await herma('traces', 'show', 'f'.repeat(32))).exitCode).toBe(4)
  expect(await herma('traces', 'list', '--outcome', 'fine')).toMatchObject({ exitCode: 2 })
  const file = join(folder, 'replay.har')
  expect((await herma('traces', 'export', traceId, '--format', 'har', '--output', file)).exitCode).toBe(0)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await herma('traces', 'replay', '--file', file)).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('The same answer.'),
  })
  const edited = await herma('traces', 'replay', traceId, '--arguments', '{"a": 20, "b": 22}', '--json')
  expect(edited.exitCode).toBe(1)
  expect(JSON.parse(edited.out)).toMatchObject({
    replayed: [{ isSame: false, differences: [{ path: 'content[0].text', after: expect.stringContaining('42') }] }],
  })
  expect(await herma('traces', 'replay', traceId, '--server', 'nobody')).toMatchObject({ exitCode: 4 })
  expect((await herma('audit', '--kind', 'capture.changed')).out).toContain('operator')
  expect((await herma('traces', 'capture', 'facade', '--json')).out).toContain('bodies')
  expect((await herma('traces', 'stats')).out).toMatch(/\d+ written, 0 dropped/)
})

test('a collector gets the span of a call under the parent that its client named', async () => {
  const received: string[] = []
  const collector: Server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (chunk: string) => received.push(chunk))
    request.on('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  await ask('PATCH', '/api/traces/settings', { otlp: { endpoint, intervalMs: 1000 } })
  await call('every__echo', { message: 'spanned' }, { traceparent: parent })
  const text = await waitFor(() => (received.join('').includes('every__echo') ? received.join('') : undefined))
  expect(text).toContain('"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"')
  expect(text).toContain('"parentSpanId":"00f067aa0ba902b7"')
  expect(text).not.toContain('spanned')
  await waitFor(() => (received.join('').includes('herma.call_duration_seconds') ? true : undefined))
  await ask('PATCH', '/api/traces/settings', { otlp: null })
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
})

test('the dashboard asks only for figures that the hub gives', async () => {
  const dashboard = await readFile(new URL('../../docs/grafana/hub-dashboard.json', import.meta.url), 'utf8')
  const response = await fetch(`${hub.url}/metrics`, { headers: hub.operator })
  const given = new Set([...(await response.text()).matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]))
  const asked = new Set([...dashboard.matchAll(/herma_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')))
  expect(asked.size).toBeGreaterThan(20)
  expect([...asked].filter((name) => !given.has(name))).toEqual([])
})
