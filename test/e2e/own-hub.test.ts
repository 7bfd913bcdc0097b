import { mkdir, rename, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, ConnectorView, ImportAnswer } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))

describe('a hub does not become a server of its own', () => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({ connectors: [stdioConnector('good', [program])] })
    await hub.api('POST', '/api/servers', { name: 'small' })
  })
  afterAll(() => hub.stop())

  const address = (host: string, path = '/mcp') => `http://${host}:${new URL(hub.url).port}${path}`
  const add = (connector: Partial<ConnectorInput>) =>
    hub.api('POST', '/api/connectors', { name: 'again', transport: 'stream', ...connector })
  const refused = { status: 422, body: { error: { code: 'CONNECTOR_INVALID' } } }

  async function herma(...words: string[]) {
    const env = { HERMA_CONFIG_HOME: dirname(hub.stateHome), HERMA_STATE_HOME: hub.stateHome }
    const { terminal, written } = captureTerminal({ env })
    return { code: await runCli(words, terminal), ...written }
  }

  test.each(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1', '[::ffff:127.0.0.1]'])('as %s', async (host) => {
    const answer = await add({ baseUrl: address(host) })
    expect(answer).toMatchObject(refused)
    expect(JSON.stringify(answer.body)).toContain('is this hub itself')
  })

  test('by another way in', async () => {
    expect(await add({ baseUrl: address('localhost', '/api/mcp/servers/small/stream') })).toMatchObject(refused)
    expect(await add({ transport: 'sse', baseUrl: address('localhost', '/sse') })).toMatchObject(refused)
    const wrapped = { transport: 'stdio' as const, cmd: 'npx', args: ['mcp-remote', address('localhost')] }
    expect(await add(wrapped)).toMatchObject(refused)
    expect(await add({ transport: 'stdio', cmd: 'npx', args: ['herma', 'stdio'] })).toMatchObject(refused)
    expect(await hub.api('POST', '/api/connector-test', { connector: { name: 'again', ...wrapped } })).toMatchObject(
      refused,
    )
    const typed = await herma('add', 'again', address('127.1'))
    expect({ code: typed.code, error: typed.error }).toMatchObject({
      error: expect.stringContaining('is this hub itself') as string,
    })
    expect(typed.code).not.toBe(0)
    const changed = await hub.api('PATCH', '/api/connectors/good', {
      transport: 'stream',
      cmd: null,
      args: [],
      baseUrl: address('localhost'),
    })
    expect(changed).toMatchObject(refused)
    const { body } = await hub.api('GET', '/api/connectors')
    expect((body as { connectors: ConnectorView[] }).connectors.map(({ name }) => name)).toEqual(['good'])
  })

  test('by a file of a client, which leaves its other servers alone', async () => {
    const mcpServers = { mine: { url: address('localhost') }, files: { command: 'node', args: [program] } }
    const file = join(dirname(hub.stateHome), 'client', 'mcp.json')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify({ mcpServers }))
    const { out } = await herma('add', '--file', file, '--no-test', '--json')
    expect(JSON.parse(out) as ImportAnswer).toMatchObject({
      added: ['files'],
      failed: [{ name: 'mine', reason: expect.stringContaining('is this hub itself') as string }],
    })
  })

  test('by a backup', async () => {
    const file = (await hub.api('GET', '/api/backup')).body as { parts: { connectors: Record<string, unknown>[] } }
    const mine = { name: 'restored', transport: 'stream', baseUrl: address('localhost') }
    const restored = await hub.api('POST', '/api/backup/restore', { file: { ...file, parts: { connectors: [mine] } } })
    expect(JSON.stringify(restored.body)).toContain('is this hub itself')
    expect((await hub.api('GET', '/api/connectors/restored')).status).toBe(404)
  })

  test('under its public name, nor when it gets that name later', async () => {
    await hub.api('PATCH', '/api/access/settings', { publicUrl: 'https://mcp.example.com' })
    expect(await add({ baseUrl: 'https://mcp.example.com/mcp' })).toMatchObject(refused)
    await hub.api('PATCH', '/api/access/settings', { publicUrl: null })
  })

  test('under a name that nobody could know, when it says who it is', async () => {
    // A proxy with another address, as a tunnel or a name of the network would be.
    await using proxy = await startProxy(hub.url)
    const { health, id } = await hub.add({ name: 'mirror', transport: 'stream', baseUrl: `${proxy.url}/mcp` })
    expect(health.lastError?.message).toContain("'mirror' is this hub itself under another name")
    expect((await hub.api('GET', '/api/connectors/mirror/tools')).body).toEqual({ tools: [] })
    expect((await hub.api('POST', '/api/connectors/mirror/test', {})).body).toMatchObject({
      ok: false,
      cause: expect.stringContaining('is this hub itself') as string,
    })
    expect(id).toBeDefined()
    expect((await hub.api('PATCH', '/api/connectors/mirror', { enabled: false })).status).toBe(200)
    expect((await hub.api('DELETE', '/api/connectors/mirror')).status).toBe(204)
  })
})

describe('two hubs that have each other', () => {
  let [here, there]: TestHub[] = []
  beforeAll(async () => {
    here = await startTestHub({ connectors: [stdioConnector('left', [program])] })
    there = await startTestHub({ connectors: [stdioConnector('right', [program])] })
  })
  afterAll(async () => {
    await Promise.all([here?.stop(), there?.stop()])
  })

  const namesAt = async (hub: TestHub, mode: 'auto' | 'legacy' = 'auto') => {
    const client = await hub.connectV2(mode)
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name).toSorted()
  }

  test.each(['auto', 'legacy'] as const)(
    'show each what the other has, once, however often lists change: %s',
    async (era) => {
      const [ours, theirs] = [await namesAt(here!), await namesAt(there!)]
      const options = { era }
      await here!.add({ name: 'to-there', transport: 'stream', baseUrl: `${there!.url}/mcp`, options })
      await there!.add({ name: 'to-here', transport: 'stream', baseUrl: `${here!.url}/mcp`, options })
      const both = async () => [await namesAt(here!), await namesAt(there!)]
      const expected = [
        [...ours, ...theirs.map((name) => `to-there__${name}`)].toSorted(),
        [...theirs, ...ours.map((name) => `to-here__${name}`)].toSorted(),
      ]
      const settle = () =>
        waitFor(async () => (JSON.stringify(await both()) === JSON.stringify(expected) ? true : undefined))
      await settle()
      for (let round = 0; round < 3; round++) {
        await here!.add(stdioConnector(`new-${round}`, [program]))
        await waitFor(async () =>
          (await namesAt(there!)).some((name) => name.startsWith(`to-here__new-${round}`)) ? true : undefined,
        )
        await here!.api('DELETE', `/api/connectors/new-${round}`)
        await settle()
      }
      // Hubs that listen to each other have no calls under way.
      for (const hub of [here!, there!])
        await waitFor(async () => {
          const { inFlight } = (await hub.api('GET', '/api/status')).body as { inFlight: number }
          return inFlight === 0 ? true : undefined
        })
      const client = await here!.connectV1()
      const { content } = await client.callTool({ name: 'to-there__right__echo', arguments: { text: 'far' } })
      expect(content).toEqual([{ type: 'text', text: 'far' }])
      const { tools } = await client.listTools()
      expect(JSON.stringify(tools).length).toBeLessThan(200_000)
      await here!.api('DELETE', '/api/connectors/to-there')
      await there!.api('DELETE', '/api/connectors/to-here')
    },
  )

  test('end a call that would go round for ever', async () => {
    const none = { options: { prefix: '' } }
    await here!.add({ name: 'to-there', transport: 'stream', baseUrl: `${there!.url}/mcp`, ...none })
    await there!.add({ name: 'to-here', transport: 'stream', baseUrl: `${here!.url}/mcp`, ...none })
    // Each has a tool that is made of the other's.
    const say = (server: string, tool: string) => ({ id: 'go', server, tool, arguments: { text: 'hello' } })
    await makePipeline(here!, 'ping', say('left', 'echo'))
    await sees(there!, 'ping')
    await makePipeline(there!, 'pong', say('to-here', 'ping'))
    await sees(here!, 'pong')
    expect(JSON.stringify(await call(here!, 'pong'))).toContain('hello')
    await makePipeline(here!, 'ping', say('to-there', 'pong'))
    const result = await waitFor(async () => {
      const answer = JSON.stringify(await call(here!, 'ping'))
      return answer.includes('"hello"') ? undefined : answer
    })
    expect(result).toContain('in a circle')
  })

  const sees = (hub: TestHub, tool: string) =>
    waitFor(async () => ((await namesAt(hub)).includes(tool) ? true : undefined))
  const call = async (hub: TestHub, name: string) => {
    const client = await hub.connectV1()
    const answer = await client.callTool({ name, arguments: {} }).catch((error: unknown) => String(error))
    await client.close()
    return answer
  }
})

async function makePipeline(hub: TestHub, name: string, step: object): Promise<void> {
  const folder = join(dirname(hub.stateHome), 'catalog')
  await mkdir(folder, { recursive: true })
  const pipelines = [{ name, description: 'Goes on.', steps: [step] }]
  await writeFile(join(folder, `${name}.new`), JSON.stringify({ schemaVersion: 1, pipelines }))
  await rename(join(folder, `${name}.new`), join(folder, `${name}.json`))
}

/** Another address for a server: what comes is passed on, as a tunnel would. */
async function startProxy(origin: string): Promise<AsyncDisposable & { readonly url: string }> {
  const { host, hostname, port } = new URL(origin)
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, host }
    const passed = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
