import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type {
  Backup,
  ConnectorUses,
  ConnectorView,
  EventPage,
  FolderListing,
  LatencyReport,
  LatencySummary,
  NewApiKey,
  ReplayReport,
  RestoreReport,
  TestReport,
} from '@herma/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

const canary = 'canary-page-api-51c7'

let hub: TestHub

beforeAll(async () => {
  hub = await startTestHub()
  await hub.add(stdioConnector('every', [serverProgram('everything')], { env: [{ name: 'API_TOKEN', value: canary }] }))
  await ask('PATCH', '/api/traces/capture/facade', { level: 'bodies' })
  await ask('POST', '/api/servers', { name: 'quiet', description: 'records no bodies' })
  await ask('POST', '/api/servers', { name: 'off', enabled: false })
  await ask('POST', '/api/sessions', { name: 'talker', provider: 'sampling' })
  await ask('POST', '/api/teams', { name: 'crew', members: [{ session: 'talker', role: 'code' }] })
})
afterAll(() => hub?.stop())

async function ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await hub.api(method, path, body)
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as Body
}

async function call(name: string, args: object): Promise<void> {
  const answer = await new WireClient(hub.endpoint).requestModern('tools/call', { name, arguments: args })
  expect(answer.message?.result).toBeDefined()
}

async function traceOf(target: string): Promise<string> {
  return waitFor(async () => {
    const { events } = await ask<EventPage>('GET', `/api/traces?kind=call.finished&target=${target}&limit=1`)
    return events[0]?.traceId
  })
}

async function herma(...words: string[]) {
  const { terminal, written } = captureTerminal({ env: { HERMA_STATE_HOME: hub.stateHome } })
  return { exitCode: await runCli(words, terminal), ...written }
}

/** Reads server-sent events until the text satisfies. */
async function readUntil(response: Response, isEnough: (text: string) => boolean): Promise<string> {
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (isEnough(text)) return text
  }
  return text
}

test('a page hears which topics have changed, and nothing else', async () => {
  const cut = new AbortController()
  const follow = (headers: Record<string, string>) => fetch(`${hub.url}/api/changes`, { headers, signal: cut.signal })
  const { key } = await ask<NewApiKey>('POST', '/api/access/keys', {
    name: 'looker',
    role: 'viewer',
    scopes: ['admin'],
  })
  const response = await follow({ authorization: `Bearer ${key}` })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const reading = readUntil(
    response,
    (text) => /"catalog"/.test(text) && /"secrets"/.test(text) && /"threads"/.test(text),
  )
  await ask('PUT', '/api/secrets/told', { value: `${canary}-secret` })
  await ask('PATCH', '/api/connectors/every', { description: 'said anew' })
  await ask('PATCH', '/api/sessions/talker', { description: 'talks' })
  const text = await reading
  expect(text).toMatch(/^event: hello\ndata: \{\}\n\n/)
  const told = text.split('\n').filter((line) => line.startsWith('data: {"'))
  for (const line of told) expect(Object.keys(JSON.parse(line.slice('data: '.length)) as object)).toEqual(['topics'])
  expect(text).not.toContain(canary)
  cut.abort()
})

test('a recorded call is sent again, as it was or with other arguments', async () => {
  await call('every__get-sum', { a: 1, b: 2 })
  const traceId = await traceOf('every__get-sum')
  const again = await ask<ReplayReport>('POST', `/api/traces/${traceId}/replay`, {})
  expect(again).toMatchObject({
    server: 'facade',
    method: 'tools/call',
    target: 'every__get-sum',
    isError: false,
    error: null,
    recorded: { arguments: { a: 1, b: 2 } },
  })
  expect(again.result).toEqual(again.recorded.result)
  const edited = await ask<ReplayReport>('POST', `/api/traces/${traceId}/replay`, { arguments: { a: 20, b: 22 } })
  expect(JSON.stringify(edited.result)).toContain('42')
  expect(edited.traceId).not.toBe(traceId)
  const { events } = await ask<EventPage>('GET', `/api/traces/${edited.traceId}`)
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'call.finished', principal: 'operator', outcome: 'ok' }),
  )
  const elsewhere = await hub.api('POST', `/api/traces/${traceId}/replay`, { server: 'nobody' })
  expect(elsewhere.status).toBe(404)
  const shown = await herma('traces', 'replay', traceId)
  expect([shown.exitCode, shown.out]).toEqual([0, expect.stringContaining('The same answer.')])
})

test('a secret that was masked, or a body that was not recorded, is asked for', async () => {
  await call('every__echo', { message: 'hello', password: 'correct-horse' })
  const masked = await traceOf('every__echo')
  const refused = await hub.api('POST', `/api/traces/${masked}/replay`, {})
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringMatching(/arguments\.password/) } },
  })
  const given = await ask<ReplayReport>('POST', `/api/traces/${masked}/replay`, { arguments: { message: 'given' } })
  expect(JSON.stringify(given.result)).toContain('given')
  const client = new WireClient(new URL('/api/mcp/servers/quiet/stream', hub.url))
  await client.requestModern('tools/call', { name: 'every__get-sum', arguments: { a: 1, b: 1 } })
  const { traceId } = await waitFor(async () => {
    const { events } = await ask<EventPage>('GET', '/api/traces?kind=call.finished&server=quiet&limit=1')
    return events[0]
  })
  const silent = await hub.api('POST', `/api/traces/${traceId}/replay`, {})
  expect(JSON.stringify(silent.body)).toMatch(/not recorded.*herma traces capture quiet --level bodies/)
})

test('a served server is tried as a client would, and a call in it has a trace', async () => {
  for (const [name, tool] of [
    ['facade', 'every__echo'],
    ['quiet', 'every__echo'],
  ] as const) {
    const report = await ask<TestReport>('POST', `/api/servers/${name}/test`, {
      tool,
      arguments: { message: `for ${name}` },
      cwd: '/tmp',
    })
    expect(report).toMatchObject({
      ok: true,
      cause: null,
      call: { content: [{ text: expect.stringContaining(name) }] },
    })
    expect(report.stages.map(({ name: stage, outcome }) => `${stage} ${outcome}`)).toEqual([
      'resolve ok',
      'start ok',
      'handshake ok',
      'list ok',
      'call ok',
    ])
    expect(report.tools.length).toBeGreaterThan(5)
    await waitFor(async () =>
      (await hub.api('GET', `/api/traces/${report.traceId}`)).status === 200 ? true : undefined,
    )
  }
  const wrong = await ask<TestReport>('POST', '/api/servers/facade/test', { tool: 'every__nothing' })
  expect(wrong).toMatchObject({ ok: false, cause: expect.stringContaining('every__nothing') })
  const off = await ask<TestReport>('POST', '/api/servers/off/test')
  expect(off).toMatchObject({ ok: false, cause: expect.stringContaining('disabled'), tools: [] })
  for (const name of ['session:talker', 'crew', 'herma']) {
    const report = await ask<TestReport>('POST', `/api/servers/${encodeURIComponent(name)}/test`)
    expect([name, report]).toMatchObject([name, { ok: true, initialize: expect.any(Object) }])
    expect([name, report.tools.length > 0]).toEqual([name, true])
  }
  expect((await hub.api('POST', '/api/servers/nobody/test')).status).toBe(404)
})

test('latencies are told by connector and by server, with what failed last', async () => {
  for (const b of [1, 2, 3, 4, 5]) await call('every__get-sum', { a: 1, b })
  await call('every__get-sum', { a: 'no number', b: 1 })
  const report = await ask<LatencyReport>('GET', '/api/latencies?connector=every&minutes=5')
  expect(report.total.count).toBeGreaterThan(5)
  expect(report.points.reduce((sum, { count }) => sum + count, 0)).toBe(report.total.count)
  expect(report.total.p50!).toBeLessThanOrEqual(report.total.p99!)
  expect(report.lastError).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) })
  const { connectors, servers } = await ask<LatencySummary>('GET', '/api/latencies/summary')
  expect(connectors).toEqual([expect.objectContaining({ name: 'every', spark: expect.any(Array) })])
  expect(servers.find(({ name }) => name === 'session:talker')).toMatchObject({ count: 0, p50: null })
  expect((await hub.api('GET', '/api/latencies?minutes=5')).status).toBe(400)
})

test('a connector says when it was tested, over the call and with the result of it', async () => {
  const body = { tool: 'echo', arguments: { message: 'tested' } }
  const report = await ask<TestReport>('POST', '/api/connectors/every/test', body)
  expect(report).toMatchObject({ ok: true, call: { content: [{ text: expect.stringContaining('tested') }] } })
  const { lastTest } = await ask<ConnectorView>('PATCH', '/api/connectors/every', { notes: 'kept' })
  expect(lastTest).toMatchObject({ ok: true, cause: null, ms: expect.any(Number) })
})

test('the command line tests servers, tells latencies and shows what is known of a connector', async () => {
  const tested = await herma('server', 'test', 'facade', '--tool', 'every__echo', '--json', '{"message": "by hand"}')
  expect([tested.exitCode, tested.out]).toEqual([
    0,
    expect.stringMatching(/call .*by hand[^]*herma traces show [0-9a-f]{32}/),
  ])
  expect(await herma('server', 'test', 'off')).toMatchObject({
    exitCode: 5,
    out: expect.stringContaining('disabled'),
  })
  expect(await herma('server', 'test', 'facade', '--cwd', '/tmp')).toMatchObject({ exitCode: 2 })
  expect((await herma('traces', 'latency')).out).toMatch(/connector +every +\d+ +\d+ +[\d.]+ ms/)
  expect((await herma('traces', 'latency', '--connector', 'every')).out).toMatch(/95 % within +[\d.]+ ms/)
  expect(await herma('traces', 'latency', '--connector', 'every', '--json')).toMatchObject({ exitCode: 0 })
  expect(await herma('traces', 'latency', '--connector', 'a', '--server', 'b')).toMatchObject({ exitCode: 2 })
  expect((await herma('test', 'every')).exitCode).toBe(0)
  expect((await herma('show', 'every')).out).toMatch(/Last test +\S+ well/)
})

test('who uses a connector is known: servers, sessions, and tools made of tools', async () => {
  await ask('POST', '/api/servers', { name: 'alone', connector: 'every' })
  await ask('POST', '/api/bindings', { session: 'talker', connector: 'every' })
  const uses = await ask<ConnectorUses>('GET', '/api/connectors/every/uses')
  expect(uses).toEqual({ connector: 'every', servers: ['alone'], sessions: ['talker'], aggregates: [] })
  expect(await ask('GET', '/api/connector-uses')).toEqual({ uses: [uses] })
})

test('folders of the machine are listed for admins, without those of the hub', async () => {
  const listing = await ask<FolderListing>('GET', `/api/browse?path=${encodeURIComponent(hub.stateHome)}/..`)
  expect(listing.entries.map(({ path }) => path)).not.toContain(hub.stateHome)
  expect((await hub.api('GET', `/api/browse?path=${encodeURIComponent(hub.stateHome)}`)).status).toBe(403)
  expect((await ask<FolderListing>('GET', '/api/browse')).path).toBe(listing.home)
})

test('a backup holds everything but secrets, and puts back what is missing, whatever else is wrong with it', async () => {
  await ask('POST', '/api/access/rules', { effect: 'deny', when: 'tool == "never"', description: 'never' })
  await ask('POST', '/api/access/users', { name: 'ada', role: 'member' })
  await ask('PATCH', '/api/catalog/overrides/every/echo', { description: 'Says it again.' })
  const file = join(dirname(hub.stateHome), 'backup.json')
  expect(await herma('backup', file)).toMatchObject({ exitCode: 0, out: expect.stringMatching(/connectors +1/) })
  const text = await readFile(file, 'utf8')
  expect(text).not.toContain(canary)
  const backup = JSON.parse(text) as Backup
  expect(backup.parts).toMatchObject({
    connectors: [{ name: 'every', env: [{ name: 'API_TOKEN', secret: true, stored: true }] }],
    secrets: [{ name: 'told' }],
    sessions: [{ name: 'talker' }],
    bindings: [{ session: 'talker', connector: 'every' }],
    teams: [{ name: 'crew' }],
    users: [{ name: 'ada' }],
    overrides: [{ server: 'every', tool: 'echo', override: { description: 'Says it again.' } }],
  })
  const same = await herma('restore', file, '--plan')
  expect(same.out).toMatch(/^(\d+) of \1 are as they are already/)

  await ask('DELETE', '/api/teams/crew')
  await ask('DELETE', '/api/servers/alone')
  await ask('DELETE', '/api/connectors/every')
  backup.parts.connectors?.push({ name: 'bad', transport: 'nonsense' })
  await writeFile(file, JSON.stringify(backup))
  const plan = await ask<RestoreReport>('POST', '/api/backup/restore', { file: backup, plan: true })
  expect(plan.entries.filter(({ action }) => action === 'add').map(({ name }) => name)).toEqual(
    expect.arrayContaining(['every', 'talker/every', 'crew', 'alone']),
  )
  expect((await hub.api('GET', '/api/connectors/every')).status).toBe(404)
  const { exitCode, out } = await herma('restore', file)
  expect([exitCode, out]).toEqual([1, expect.stringMatching(/fail +connectors +bad/)])
  expect(out).toMatch(/To be entered again:\nconnectors +every +env\.API_TOKEN/)
  const restored = await ask<Backup>('GET', '/api/backup')
  const { connectors: before = [], ...others } = backup.parts
  const { connectors: after = [], ...rest } = restored.parts
  expect(rest).toEqual(others)
  expect(after).toEqual([{ ...before[0], env: [] }])
  const { key } = await ask<NewApiKey>('POST', '/api/access/keys', { name: 'second', role: 'admin', scopes: ['admin'] })
  const refused = await fetch(`${hub.url}/api/backup`, { headers: { authorization: `Bearer ${key}` } })
  expect(refused.status).toBe(403)
  await rm(file)
})
