import type { EventPage, ServerHealth, ServerView } from '@herma/contract'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { servedPath } from '../../packages/hub/src/cli/stdio/served-path.ts'
import { metaKeys, modernRevision } from '../../packages/hub/src/wire/index.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startHttpServer } from '../fixtures/start-http-server.ts'
import { connectDirect, type McpClient } from './mcp-client.ts'
import { eras, startCatalogHub, textIn, type CatalogClient, type CatalogHub } from './start-catalog-hub.ts'
import { serverProgram, stdioConnector, waitFor } from './start-test-hub.ts'

const every = stdioConnector('every', [serverProgram('everything'), 'stdio'], { options: { listed: false } })
const alone = '/api/mcp/servers/alone'

let hub: CatalogHub
let scratch: Scratch
let direct: McpClient

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startCatalogHub({ connectors: [every, scriptedConnector('scripted', scratch.file('journal'))] })
  await hub.ask('POST', '/api/servers', { name: 'alone', connector: 'every', description: 'Everything, alone.' })
  direct = await connectDirect('v1', every)
})
afterAll(async () => {
  await direct?.close()
  await hub?.stop()
  await scratch?.[Symbol.asyncDispose]()
})

type Json = Record<string, unknown>
interface RpcReply {
  readonly status: number
  readonly body: { id?: unknown; result?: Json; error?: { code: number; message: string } } | null
}

async function rpc(path: string, body: unknown, init: RequestInit = {}): Promise<RpcReply> {
  const response = await fetch(hub.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as RpcReply['body']) }
}

const request = (method: string, params?: Json) => ({ jsonrpc: '2.0', id: 7, method, ...(params && { params }) })
const probe = async (path: string) => {
  const response = await fetch(`${hub.url}${path}/health`)
  return { status: response.status, body: (await response.json()) as ServerHealth }
}

describe.each(eras)('a hosted server, to a %s client', (era) => {
  let client: CatalogClient
  beforeAll(async () => {
    client = await hub.connect(era, {
      path: `${alone}/stream`,
      capabilities: { roots: {}, sampling: {}, elicitation: {} },
    })
  })

  test('is the server itself: its names, its words, and nothing besides', async () => {
    const own = await direct.listTools()
    expect((await client.names()).toSorted()).toEqual(own.tools.map(({ name }) => name).toSorted())
    expect((await client.client.listPrompts()).prompts).toEqual((await direct.listPrompts()).prompts)
    expect((await client.client.listResources()).resources).toEqual((await direct.listResources()).resources)
    expect((await client.client.listResourceTemplates()).resourceTemplates).toEqual(
      (await direct.listResourceTemplates()).resourceTemplates,
    )
    expect(client.client.getInstructions()).toBe(direct.getInstructions())
    const { getServerVersion } = client.client as unknown as { getServerVersion(): { name: string } }
    expect(getServerVersion.call(client.client)).toMatchObject({ name: 'mcp-servers/everything' })
  })

  test('answers calls, prompts, resources and completions', async () => {
    expect(textIn(await client.call('echo', { message: 'hi' }))).toBe('Echo: hi')
    await expect(client.call('every__echo', { message: 'hi' })).rejects.toThrow('Unknown tool')
    await expect(client.call('scripted__echo', { text: 'hi' })).rejects.toThrow('Unknown tool')
    const { prompts } = await client.client.listPrompts()
    expect(await client.client.getPrompt({ name: prompts[0]!.name })).toHaveProperty('messages')
    const { resources } = await client.client.listResources()
    expect(await client.client.readResource({ uri: resources[0]!.uri })).toHaveProperty('contents')
    const ref = { type: 'ref/prompt', name: 'completable-prompt' }
    expect(await client.client.complete({ ref, argument: { name: 'department', value: 'E' } })).toMatchObject({
      completion: { values: ['Engineering'] },
    })
  })
})

describe('a connector that is not listed', () => {
  test('is in no list of the facade, and its tools can be looked at', async () => {
    const facade = await hub.connect('modern')
    expect(await facade.names()).toEqual(expect.arrayContaining(['scripted__echo']))
    expect((await facade.names()).filter((name) => name.includes('every'))).toEqual([])
    await expect(facade.call('every__echo', { message: 'hi' })).rejects.toThrow('Unknown tool')
    const { resources } = await facade.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['scripted://one', 'scripted://two'])
    const { tools } = await hub.ask<{ tools: { name: string }[] }>('GET', '/api/connectors/every/tools')
    expect(tools.map(({ name }) => name)).toContain('echo')
  })

  test('comes and goes with its option, and its server keeps its own names', async () => {
    const facade = await hub.connect('legacy')
    const list = (listed: boolean) => hub.ask('PATCH', '/api/connectors/every', { options: { listed } })
    await list(true)
    await waitFor(async () => ((await facade.names()).includes('every__echo') ? true : undefined))
    const { body } = await rpc(`${alone}/rpc`, request('tools/call', { name: 'echo', arguments: { message: 'both' } }))
    expect(body).toMatchObject({ result: { content: [{ text: 'Echo: both' }] } })
    await list(false)
    await waitFor(async () => ((await facade.names()).includes('every__echo') ? undefined : true))
  })

  test('is served with what people say about its tools', async () => {
    const client = await hub.connect('modern', { path: `${alone}/stream` })
    await hub.ask('PATCH', '/api/catalog/overrides/every/echo', { name: 'say', description: 'Says it again.' })
    await client.hearChange()
    expect(await client.tool('say')).toMatchObject({ description: 'Says it again.' })
    expect(textIn(await client.call('say', { message: 'hi' }))).toBe('Echo: hi')
    await hub.ask('PATCH', '/api/catalog/overrides/every/echo', { enabled: false })
    await client.hearChange()
    await expect(client.call('say', { message: 'hi' })).rejects.toThrow('Unknown tool')
    await hub.ask('PATCH', '/api/catalog/overrides/every/echo', { name: null, description: null, enabled: null })
    await client.hearChange()
    expect(await client.names()).toContain('echo')
  })
})

describe('plain JSON-RPC', () => {
  test('is answered by every server without a handshake', async () => {
    expect((await rpc('/api/mcp/servers/facade/rpc', request('ping'))).body).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {},
    })
    const listed = await rpc('/api/mcp/servers/facade/rpc', request('tools/list'))
    expect(listed.body?.result?.['tools']).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'scripted__echo' })]),
    )
    const called = await rpc(`${alone}/rpc`, request('tools/call', { name: 'echo', arguments: { message: 'hi' } }))
    expect(called).toMatchObject({ status: 200, body: { id: 7, result: { content: [{ text: 'Echo: hi' }] } } })
    const hello = request('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    expect((await rpc(`${alone}/rpc`, hello)).body?.result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'mcp-servers/everything' },
    })
    expect(await rpc(`${alone}/rpc`, { jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual({
      status: 202,
      body: null,
    })
  })

  test('may be of 2026-07-28, when the body says so', async () => {
    const _meta = { [metaKeys.revision]: modernRevision, [metaKeys.clientCapabilities]: {} }
    const discovered = await rpc(`${alone}/rpc`, request('server/discover', { _meta }))
    expect(discovered.body?.result).toMatchObject({
      resultType: 'complete',
      _meta: { [metaKeys.serverInfo]: { name: 'mcp-servers/everything' } },
    })
    const called = await rpc(
      `${alone}/rpc`,
      request('tools/call', { name: 'echo', arguments: { message: 'ü' }, _meta }),
    )
    expect(called.body?.result).toMatchObject({ resultType: 'complete', content: [{ text: 'Echo: ü' }] })
    const unknown = { ..._meta, [metaKeys.revision]: '2031-01-01' }
    expect(await rpc(`${alone}/rpc`, request('tools/list', { _meta: unknown }))).toMatchObject({
      status: 400,
      body: { error: { code: -32022 } },
    })
  })

  test('says what is wrong as a JSON-RPC error', async () => {
    const path = `${alone}/rpc`
    expect(await rpc(path, '{')).toMatchObject({ status: 400, body: { id: null, error: { code: -32700 } } })
    expect(await rpc(path, [request('ping')])).toMatchObject({
      status: 400,
      body: { error: { code: -32600, message: expect.stringContaining('one by one') } },
    })
    expect(await rpc(path, { jsonrpc: '2.0', id: 1, result: {} })).toMatchObject({
      status: 400,
      body: { error: { code: -32600 } },
    })
    expect(await rpc(path, request('tools/call', { name: 'nobody' }))).toMatchObject({
      status: 200,
      body: { id: 7, error: { code: -32602 } },
    })
    expect(await rpc(path, request('nothing/known'))).toMatchObject({ body: { id: 7, error: { code: -32601 } } })
    for (const method of ['resources/subscribe', 'logging/setLevel', 'subscriptions/listen'])
      expect((await rpc(path, request(method, { uri: 'x:y' }))).body?.error?.message).toContain(`${alone}/stream`)
    expect(await rpc(path, request('ping'), { headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
    })
    expect(
      await rpc(path, request('ping'), { headers: { 'content-type': 'application/json', accept: 'text/html' } }),
    ).toMatchObject({ status: 406 })
    expect(await (await fetch(hub.url + path)).json()).toMatchObject({
      error: { message: expect.stringContaining('POST') },
    })
    expect(await rpc('/api/mcp/servers/nobody/rpc', request('ping'))).toMatchObject({ status: 404 })
    expect(await rpc('/api/mcp/sessions/nobody/rpc', request('ping'))).toMatchObject({ status: 404 })
  })

  test('cannot be asked, and ends at the server when its socket closes', async () => {
    const asked = await rpc(
      '/api/mcp/servers/facade/rpc',
      request('tools/call', { name: 'scripted__echo', arguments: { text: 'ok' } }),
    )
    expect(asked.body?.result).toMatchObject({ content: [{ text: 'ok' }] })
    const leaving = new AbortController()
    const held = rpc('/api/mcp/servers/facade/rpc', request('tools/call', { name: 'scripted__hold' }), {
      signal: leaving.signal,
    })
    const journal = () => readJournal(scratch.file('journal'))
    const call = await waitFor(() => journal().find(({ event, name }) => event === 'call' && name === 'hold'))
    expect((await probe('/api/mcp/servers/facade')).body.inFlight).toBe(1)
    leaving.abort()
    await expect(held).rejects.toMatchObject({ name: 'AbortError' })
    await waitFor(() => journal().find(({ event, requestId }) => event === 'cancelled' && requestId === call.id))
    await waitFor(async () => ((await probe('/api/mcp/servers/facade')).body.inFlight === 0 ? true : undefined))
  })

  test('is recorded as what it is', async () => {
    const { events } = await waitFor(async () => {
      const page = await hub.ask<EventPage>('GET', '/api/events')
      return page.events.some(({ transport }) => transport === 'rpc') ? page : undefined
    })
    expect(events.find(({ transport, target }) => transport === 'rpc' && target === 'echo')).toMatchObject({
      era: expect.any(String),
      route: 'mcp:stdio',
    })
  })
})

describe('the health of a server', () => {
  test('says how many tools it has and when a client last came', async () => {
    const { tools } = await direct.listTools()
    const health = await probe(alone)
    expect(health).toMatchObject({
      status: 200,
      body: {
        name: 'alone',
        kind: 'custom',
        enabled: true,
        state: 'ready',
        tools: tools.length,
        inFlight: 0,
        problem: null,
      },
    })
    expect(Date.parse(health.body.lastHandshake!)).toBeGreaterThan(0)
    expect(await hub.ask<ServerView>('GET', '/api/servers/alone')).toMatchObject({
      description: 'Everything, alone.',
      connector: 'every',
      tools: tools.length,
      rpcPath: `${alone}/rpc`,
      healthPath: `${alone}/health`,
      lastHandshake: health.body.lastHandshake,
    })
    expect((await fetch(`${hub.url}${alone}/health`, { method: 'POST' })).status).toBe(405)
    expect((await fetch(`${hub.url}/api/mcp/servers/nobody/health`)).status).toBe(404)
    expect((await probe('/api/mcp/servers/herma')).body).toMatchObject({ kind: 'management', tools: 14 })
  })

  test('is bad when the server is disabled, and nobody is served then', async () => {
    const client = await hub.connect('legacy', { path: `${alone}/stream` })
    await hub.ask('PATCH', '/api/servers/alone', { enabled: false })
    const hint = expect.stringContaining('herma server enable alone')
    expect(await probe(alone)).toMatchObject({
      status: 503,
      body: { enabled: false, state: 'disabled', problem: hint },
    })
    expect(await rpc(`${alone}/rpc`, request('ping'))).toMatchObject({
      status: 503,
      body: { error: { code: -32000, message: hint } },
    })
    await expect(client.names()).rejects.toThrow('herma server enable alone')
    await hub.ask('PATCH', '/api/servers/alone', { enabled: true })
    expect(await client.names()).toContain('echo')
  })

  test('is bad when what it hosts is disabled or removed', async () => {
    await hub.add(scriptedConnector('passing', scratch.file('passing'), { options: { listed: false } }))
    await hub.ask('POST', '/api/servers', { name: 'guest', connector: 'passing' })
    const guest = '/api/mcp/servers/guest'
    expect(await probe(guest)).toMatchObject({ status: 200 })
    await hub.ask('PATCH', '/api/connectors/passing', { name: 'renamed' })
    expect(await hub.ask<ServerView>('GET', '/api/servers/guest')).toMatchObject({ connector: 'renamed' })
    expect(
      (await rpc(`${guest}/rpc`, request('tools/call', { name: 'echo', arguments: { text: 'on' } }))).body?.result,
    ).toMatchObject({ content: [{ text: 'on' }] })
    await hub.ask('PATCH', '/api/connectors/renamed', { enabled: false })
    expect(await probe(guest)).toMatchObject({
      status: 503,
      body: { problem: expect.stringContaining('herma enable renamed') },
    })
    await hub.ask('DELETE', '/api/connectors/renamed')
    expect(await probe(guest)).toMatchObject({
      status: 503,
      body: { problem: expect.stringContaining('--connector NAME') },
    })
    await hub.ask('DELETE', '/api/servers/guest')
  })
})

async function herma(...words: string[]) {
  const { terminal, written } = captureTerminal({
    env: { HERMA_CONFIG_HOME: hub.configHome, HERMA_STATE_HOME: hub.stateHome },
  })
  const code = await runCli(words, terminal)
  return { code, ...written }
}

/** What a hosted server answers when its tool of this name is called. */
async function hosted(server: string, name: string): Promise<unknown> {
  const { body } = await rpc(
    `/api/mcp/servers/${server}/rpc`,
    request('tools/call', { name, arguments: { text: 'hi', name: 'Ada' } }),
  )
  return body?.result?.['content'] ?? body?.error
}

describe('at the command line', () => {
  const program = fileURLToPath(new URL('../fixtures/telling-server.mjs', import.meta.url))

  test('a command is hosted, shown, switched off and removed with its connector', async () => {
    const added = await herma(
      'server',
      'add',
      'told',
      '--command',
      `'${process.execPath}' "${program}"`,
      '--description',
      'It tells.',
    )
    expect(added).toMatchObject({ code: 0, out: expect.stringContaining('/api/mcp/servers/told/rpc') })
    expect(await hosted('told', 'tell')).toMatchObject([{ text: expect.stringContaining('"name":"tell"') }])
    const shown = await herma('server', 'show', 'told')
    expect(shown.out).toMatch(/State +ready[^]*Tools +5[^]*Hosts +told/)
    expect(JSON.parse((await herma('server', 'show', 'told', '--json')).out)).toMatchObject({
      name: 'told',
      health: { state: 'ready', tools: 5 },
    })
    expect((await herma('list')).out).toContain('told')
    expect(await herma('server', 'disable', 'told')).toMatchObject({
      code: 0,
      out: expect.stringContaining("Disabled 'told'"),
    })
    expect((await herma('server', 'show', 'told')).out).toMatch(/State +disabled: .*herma server enable told/)
    expect((await herma('server')).out).toMatch(/told +custom +disabled/)
    await herma('server', 'enable', 'told')
    expect((await herma('server', 'remove', 'told', '--with-connector')).out).toContain("the connector 'told'")
    expect((await herma('show', 'told')).code).not.toBe(0)
  })

  test('a module is hosted, whether it serves itself or is a server of the framework', async () => {
    const framework = scratch.file('app.mjs')
    // Anything with stdio() will do: the host asks for no more.
    await writeFile(framework, `export default { stdio: () => import(${JSON.stringify(program)}) }`)
    const guarded = scratch.file('guarded.mjs')
    const own = 'process.argv[1] === fileURLToPath(import.meta.url)'
    await writeFile(
      guarded,
      `import { fileURLToPath } from 'node:url'\nif (${own}) await import(${JSON.stringify(program)})`,
    )
    for (const [name, file] of [
      ['app', framework],
      ['guarded', guarded],
    ] as const) {
      expect(await herma('server', 'add', name, '--module', file)).toMatchObject({ code: 0 })
      expect(await hosted(name, 'tell')).toMatchObject([{ text: expect.stringContaining('tell') }])
      await herma('server', 'remove', name, '--with-connector')
    }
    expect(await herma('server', 'add', 'lost', '--module', scratch.file('lost.mjs'))).toMatchObject({
      code: 2,
      error: expect.stringContaining('There is no file'),
    })
  })

  test('a server elsewhere is hosted by its address, and nothing is left when the name is taken', async () => {
    await using elsewhere = await startHttpServer({ era: 'both' })
    const { url } = elsewhere
    expect(await herma('server', 'add', 'far', '--url', url)).toMatchObject({ code: 0 })
    expect(
      (await rpc('/api/mcp/servers/far/rpc', request('tools/call', { name: 'echo', arguments: { text: 'far' } }))).body
        ?.result,
    ).toMatchObject({ content: [{ text: 'far' }] })
    expect(await herma('server', 'add', 'alone', '--url', url)).toMatchObject({
      error: expect.stringContaining('already'),
    })
    expect((await herma('show', 'alone')).code).not.toBe(0)
    expect((await herma('server', 'add', 'two', '--url', url, '--connector', 'every')).error).toContain('Host one')
    expect((await herma('server', 'remove', 'far')).out).toContain("connector 'far' is still there")
    await herma('remove', 'far')
  })

  test('herma stdio finds sessions by their names', async () => {
    expect(await servedPath('session:coder', null)).toBe('/api/mcp/sessions/coder/stream')
    expect(await servedPath('crew', null)).toBe('/api/mcp/servers/crew/stream')
    await expect(servedPath('session:../x', null)).rejects.toThrow('There is no server')
  })
})

test.each([
  [{ name: 'bad', connector: 'nobody' }, 404, "No connector is named 'nobody'"],
  [{ name: 'bad', connector: 'every', mode: 'search' }, 422, '--mode full'],
])('a server like %j is refused', async (input, status, text) => {
  const answer = await hub.api('POST', '/api/servers', input)
  expect(answer).toMatchObject({ status })
  expect(JSON.stringify(answer.body)).toContain(text)
})

test('the facade hosts no connector and cannot be disabled', async () => {
  for (const patch of [{ connector: 'every' }, { enabled: false }])
    expect(await hub.api('PATCH', '/api/servers/facade', patch)).toMatchObject({ status: 422 })
})
