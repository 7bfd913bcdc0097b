import { execFileSync } from 'node:child_process'
import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  abilitySchemas,
  type Ability,
  type BindingView,
  type EventPage,
  type NewApiKey,
  type Trace,
} from '@herma/contract'
import * as modern from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../../fixtures/scripted-connector.ts'
import { startPlainServer, type PlainServer } from '../../fixtures/start-plain-server.ts'
import { callWithProgress, type ClientKind, type McpClient } from '../mcp-client.ts'
import { serverProgram, stdioConnector, waitFor } from '../start-test-hub.ts'
import { obey, wishing } from './obedient-model.ts'
import { startTeamHub, succeed, type TeamHub } from './start-team-hub.ts'

let place: TeamHub
let scratch: Scratch
let plain: PlainServer
const dev = '/api/mcp/sessions/dev/stream'

beforeAll(async () => {
  place = await startTeamHub()
  scratch = await createScratch()
  plain = await startPlainServer()
  const { hub, llm, workspace, addSession } = place
  llm.script = obey
  await hub.add(stdioConnector('web', [serverProgram('everything')]))
  await addSession({
    name: 'dev',
    provider: 'openai',
    model: 'gpt-x',
    baseUrl: llm.baseUrl('openai'),
    pricing: { inputPerMillion: 1, outputPerMillion: 2 },
    routes: [{ abilities: ['search.web'], use: { connector: 'web', tool: 'echo', arguments: { message: '{query}' } } }],
  })
  await succeed(hub, 'POST', '/api/bindings', { session: 'dev', connector: 'web' })
  await writeFile(join(workspace, 'src/lib.js'), 'export const answer = 42\n')
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-qm', 'begin')
})
afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await plain?.[Symbol.asyncDispose]()
  await scratch?.[Symbol.asyncDispose]()
})

const clientKinds: readonly ClientKind[] = ['v1', 'v2 legacy', 'v2 auto']

async function connect(kind: ClientKind): Promise<McpClient> {
  if (kind !== 'v1') return place.connect(dev, kind === 'v2 auto' ? 'auto' : 'legacy')
  const client = new Client({ name: 'test-v1', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(dev, place.hub.url)))
  return client
}

const plan = { summary: 'Do it.', steps: [{ title: 'Do', detail: 'it', role: null, depends_on: [] }], risks: ['none'] }
const review = {
  verdict: 'comment',
  summary: 'Fine.',
  findings: [{ severity: 'minor', path: 'src/lib.js', line: 1, message: 'Hm.', suggestion: null }],
}

describe.each(clientKinds)('a session as an MCP server for a client %s', (kind) => {
  const name = kind.replaceAll(' ', '-')
  const code = `export const twice = (n) => n * 2 // ${name}\n`
  const checks = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { twice } from './${name}.js'\ntest('twice', () => assert.equal(twice(2), 4))\n`
  const write = (path: string, text: string) => ({ name: 'write_file', arguments: { path, text } })
  const cases: Record<Ability, { args: Record<string, unknown>; output: Record<string, unknown> }> = {
    'code.generate': {
      args: { spec: wishing('Twice.', { text: 'Wrote twice.', toolCalls: [write(`src/${name}.js`, code)] }) },
      output: {
        committed: true,
        changes: [{ path: `src/${name}.js`, kind: 'added' }],
        diff: expect.stringContaining('+export const twice'),
        usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30, cost_usd: expect.closeTo(0.00004, 8) },
      },
    },
    'tests.generate': {
      args: { target: wishing('Twice.', { toolCalls: [write(`src/${name}.test.js`, checks)] }) },
      output: { committed: true, changes: [{ path: `src/${name}.test.js`, kind: 'added' }] },
    },
    'tests.run': {
      args: { paths: [`src/${name}.test.js`] },
      output: { ok: true, framework: 'node', counts: { total: 1, passed: 1, failed: 0, skipped: 0 } },
    },
    'code.advice': {
      args: {
        question: wishing('Which?', {
          text: 'It says:',
          toolCalls: [{ name: 'read_file', arguments: { path: 'src/lib.js' } }],
        }),
      },
      output: { advice: expect.stringContaining('answer = 42'), files_read: ['src/lib.js'] },
    },
    'search.code': {
      args: { query: 'answer', path_globs: ['src/lib.js'] },
      output: { total_matches: 1, files: [{ path: 'src/lib.js' }] },
    },
    'search.web': { args: { query: 'herma' }, output: { answer: expect.stringContaining('Echo: herma') } },
    'plan.task': { args: { goal: wishing('Plan.', { text: JSON.stringify(plan) }) }, output: plan },
    'review.changes': {
      args: { focus: wishing('Look.', { text: JSON.stringify(review) }) },
      output: review,
    },
  }

  test('does all that it offers, with progress and in the form that it promises', async () => {
    const client = await connect(kind)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual(Object.keys(abilitySchemas))
    const messages: string[] = []
    for (const [ability, { args, output }] of Object.entries(cases)) {
      const result = await callWithProgress(client, { name: ability, arguments: args }, (event) => {
        messages.push((event as { message?: string }).message ?? '')
      })
      expect(result.isError, `${ability}: ${JSON.stringify(result)}`).toBeFalsy()
      expect(result.structuredContent, ability).toMatchObject(output)
      abilitySchemas[ability as Ability].output.strict().parse(result.structuredContent)
    }
    expect(messages).toEqual(expect.arrayContaining(['uses write_file', `changes src/${name}.js`, 'Wrote twice.']))
    expect(await readFile(join(place.workspace, `src/${name}.js`), 'utf8')).toBe(code)
    // The untracked files are what was changed since the commit.
    expect(place.llm.requests.some(({ messages: [first] }) => first?.text.includes(`+++ b/src/${name}.js`))).toBe(true)
    await client.close()
  })

  test('is cancelled to the socket of its provider, and nothing is written', async () => {
    const client = await connect(kind)
    const aborted = place.llm.aborted
    const controller = new AbortController()
    const spec = wishing('Slowly.', { text: 'slow '.repeat(2000), chunkMs: 20, toolCalls: [write('src/slow.js', 'x')] })
    const params = { name: 'code.generate', arguments: { spec } }
    const options = {
      signal: controller.signal,
      onprogress: ({ message }: { message?: string }) => {
        if (message?.includes('slow ') === true) controller.abort()
      },
    }
    const call =
      client instanceof Client
        ? client.callTool(params, undefined, options)
        : (client as unknown as modern.Client).callTool(params, options)
    await expect(call).rejects.toThrow(/abort/i)
    await place.llm.until(() => place.llm.aborted > aborted)
    await expect(access(join(place.workspace, 'src/slow.js'))).rejects.toThrow('ENOENT')
    await client.close()
  })
})

test('a dry run and write globs hold, and a bad argument is named', async () => {
  const client = await place.connect(dev, 'auto')
  const call = (args: Record<string, unknown>) => client.callTool({ name: 'code.generate', arguments: args })
  const toolCalls = [{ name: 'write_file', arguments: { path: 'src/dry.js', text: 'dry' } }]
  const dry = await call({ spec: wishing('Dry.', { toolCalls }), options: { dry_run: true } })
  expect(dry.structuredContent).toMatchObject({ committed: false, diff: expect.stringContaining('+dry') })
  const outside = await call({ spec: wishing('Docs.', { text: 'It said:', toolCalls }), path_globs: ['docs/**'] })
  expect(outside.structuredContent).toMatchObject({ changes: [], summary: expect.stringContaining('docs/**') })
  await expect(access(join(place.workspace, 'src/dry.js'))).rejects.toThrow('ENOENT')
  const bad = await call({ spec: 'x', pathGlobs: ['a'] })
  expect(bad).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('pathGlobs') }] })
})

describe('a path that is not allowed', () => {
  test('is refused as the folder of a call, by cwd and by URI, and recorded', async () => {
    const client = await place.connect(dev, 'auto')
    const search = (args: object) => client.callTool({ name: 'search.code', arguments: { query: 'answer', ...args } })
    await mkdir(join(place.workspace, 'inner'), { recursive: true })
    await writeFile(join(place.workspace, 'inner/deep.js'), 'answer\n')
    await symlink('/etc', join(place.workspace, 'escape'))
    for (const args of [{ cwd: 'inner' }, { workspace_uri: pathToFileURL(join(place.workspace, 'inner')).href }]) {
      const found = await search(args)
      expect(found.structuredContent, JSON.stringify(found)).toMatchObject({ files: [{ path: 'deep.js' }] })
    }
    const wrong = [{ cwd: '/etc' }, { cwd: '../..' }, { cwd: 'escape' }, { workspace_uri: 'file:///etc' }]
    for (const args of wrong) {
      const refused = await search(args)
      expect(refused, JSON.stringify(args)).toMatchObject({
        isError: true,
        _meta: { 'herma/error': { code: 'PATH_REFUSED', hadEffect: false } },
      })
    }
    expect(await search({ workspace_uri: 'https://example.com/' })).toMatchObject({ isError: true })
    expect(await search({ cwd: 'inner', workspace_uri: 'file:///etc' })).toMatchObject({ isError: true })
    const refusals = await waitFor(async () => {
      const { events }: EventPage = await succeed(place.hub, 'GET', '/api/traces?kind=workspace.refused&session=dev')
      return events.length >= wrong.length ? events : undefined
    })
    expect(refusals[0]).toMatchObject({ session: 'dev', target: 'search.code', outcome: 'refused' })
  })

  test('is refused to the model, which is told why', async () => {
    const client = await place.connect(dev, 'auto')
    await writeFile(join(place.workspace, '.env'), 'KEY=hidden-value\n')
    const toolCalls = [
      ...['/etc/passwd', 'escape/passwd', '../up.js', '.env'].map((path) => ({
        name: 'read_file',
        arguments: { path },
      })),
      ...['escape/new.js', '.env', '.git/hooks/post-commit'].map((path) => ({
        name: 'write_file',
        arguments: { path, text: 'x' },
      })),
    ]
    const made = await client.callTool({
      name: 'code.generate',
      arguments: { spec: wishing('Break out.', { text: 'They said:', toolCalls }) },
    })
    expect(made.structuredContent, JSON.stringify(made)).toMatchObject({ changes: [], committed: false })
    const { summary } = made.structuredContent as { summary: string }
    expect(summary.match(/is refused/g)).toHaveLength(toolCalls.length)
    expect(summary).not.toMatch(/hidden-value|root:/)
  })
})

test('what a binding overrides arrives at the server, and the effective values say from where', async () => {
  const { hub, addSession, llm, workspace } = place
  await hub.add(scriptedConnector('local', scratch.file('journal'), { env: [{ name: 'FIXTURE', value: 'connector' }] }))
  await hub.add({
    name: 'remote',
    transport: 'http',
    baseUrl: plain.origin,
    endpointPath: '/rpc',
    headers: [
      { name: 'X-Kept', value: 'kept' },
      { name: 'X-Team', value: 'connector' },
    ],
  })
  await succeed(hub, 'PUT', '/api/secrets/BOUND', { value: 'bound-secret-value' })
  await addSession({ name: 'bound', provider: 'openai', model: 'gpt-x', baseUrl: llm.baseUrl('openai') })
  const inner = join(workspace, 'src')
  const overrides = { env: [{ name: 'FIXTURE', value: 'binding' }], cwd: inner, allowedTools: ['who', 'ec*'] }
  await succeed(hub, 'POST', '/api/bindings', { session: 'bound', connector: 'local', ...overrides })
  const headers = [
    { name: 'x-team', value: 'binding' },
    { name: 'X-Token', value: '{secret:BOUND}' },
  ]
  await succeed(hub, 'POST', '/api/bindings', { session: 'bound', connector: 'remote', headers })
  const client = await place.connect('/api/mcp/sessions/bound/stream', 'auto')
  const toolCalls = [
    { name: 'local__who', arguments: {} },
    { name: 'remote__echo', arguments: { text: 'far' } },
    { name: 'local__spawn', arguments: {} },
  ]
  const question = wishing('Who?', { text: 'They are:', toolCalls })
  const { structuredContent } = await client.callTool({ name: 'code.advice', arguments: { question } })
  const { advice } = structuredContent as { advice: string }
  expect(advice).toContain('"fixture":"binding"')
  expect(advice).toContain(`"cwd":"${inner}"`)
  expect(advice).toContain('far')
  expect(readJournal(scratch.file('journal')).flatMap(({ name }) => name ?? [])).toEqual(['who'])
  expect(llm.requests.at(-1)!.tools.filter((tool) => tool.startsWith('local'))).toEqual(['local__echo', 'local__who'])
  expect(plain.requests.at(-1)!.headers).toMatchObject({
    'x-kept': 'kept',
    'x-team': 'binding',
    'x-token': 'bound-secret-value',
  })
  // Everybody else still uses the connector as it is.
  const own = await hub.connectV2('auto')
  expect(JSON.stringify(await own.callTool({ name: 'local__who', arguments: {} }))).toContain('connector')
  const { bindings }: { bindings: BindingView[] } = await succeed(hub, 'GET', '/api/sessions/bound/bindings')
  const sourceOf = (field: string) =>
    bindings.flatMap(({ effective }) => effective).find((value) => value.field === field)
  expect(bindings.map(({ hasOwnDownstream }) => hasOwnDownstream)).toEqual([true, true])
  expect(sourceOf('env.FIXTURE')).toMatchObject({ value: 'binding', source: 'binding' })
  expect(sourceOf('headers.X-Kept')).toMatchObject({ value: 'kept', source: 'connector' })
  expect(sourceOf('headers.X-Token')).toMatchObject({ value: null, secret: true, source: 'binding' })
  expect(sourceOf('allowedTools')).toMatchObject({ value: ['who', 'ec*'], source: 'binding' })
})

test('a rule that forbids somebody a tool holds inside of a session', async () => {
  const { hub } = place
  const { key }: NewApiKey = await succeed(hub, 'POST', '/api/access/keys', { name: 'guest' })
  const when = 'principal.id == "key:guest" && tool.endsWith("get-sum")'
  await succeed(hub, 'POST', '/api/access/rules', { effect: 'deny', description: 'no sums', when })
  const question = wishing('Sum.', { text: 'It is:', toolCalls: [{ name: 'web__get-sum', arguments: { a: 2, b: 3 } }] })
  const asGuest = new modern.Client({ name: 'guest', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await asGuest.connect(new modern.StreamableHTTPClientTransport(new URL(dev, hub.url), { requestInit }))
  const refused = await asGuest.callTool({ name: 'code.advice', arguments: { question } })
  expect(refused.structuredContent, JSON.stringify(refused)).toMatchObject({
    advice: expect.stringContaining('no sums'),
  })
  await asGuest.close()
  const client = await place.connect(dev, 'auto')
  const allowed = await client.callTool({ name: 'code.advice', arguments: { question } })
  expect(allowed.structuredContent).toMatchObject({ advice: expect.stringContaining('5') })
})

test('one trace holds the call, the turn and its steps, with session, route and usage', async () => {
  const client = await place.connect(dev, 'auto')
  const toolCalls = [{ name: 'web__echo', arguments: { message: 'traced' } }]
  const result = await client.callTool({
    name: 'code.advice',
    arguments: { question: wishing('Trace.', { toolCalls }) },
  })
  const { traceId } = (result._meta as { 'herma/work': { traceId: string } })['herma/work']
  const trace = await waitFor(async () => {
    const { status, body } = await place.hub.api('GET', `/api/traces/${traceId}`)
    const found = body as Trace
    return status === 200 && found.events.some(({ kind }) => kind === 'call.finished') ? found : undefined
  })
  const of = (kind: string) => trace.events.find((event) => event.kind === kind)!
  const [call, turn, step] = ['call.finished', 'turn.finished', 'step.finished'].map(of)
  expect(call).toMatchObject({ server: 'session:dev', method: 'tools/call', target: 'code.advice', outcome: 'ok' })
  expect(turn).toMatchObject({ session: 'dev', route: 'openai', parentId: call!.spanId, outcome: 'ok' })
  expect(turn!.data).toMatchObject({ usage: { totalTokens: 30 }, steps: 2, toolCalls: 1 })
  expect(step).toMatchObject({ session: 'dev', route: 'mcp:stdio', connector: 'web', parentId: turn!.spanId })
})

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: place.workspace })
}
