import { existsSync, readdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, EventView, LogLine, TestReport } from '@herma/contract'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { startNpmRegistry, type NpmRegistry } from '../fixtures/npm-registry/start-npm-registry.ts'
import { createScratch, readJournal, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startHttpServer } from '../fixtures/start-http-server.ts'
import { startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const slowProgram = fileURLToPath(new URL('../fixtures/slow-server.mjs', import.meta.url))

let hub: TestHub
let scratch: Scratch
let client: Client

beforeAll(async () => {
  scratch = await createScratch()
  hub = await startTestHub()
  client = await hub.connectV1()
})

afterAll(async () => {
  await hub?.stop()
  await scratch[Symbol.asyncDispose]()
})

async function call(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] }
  return result.content[0]!.text
}

function slow(name: string, args: string[], rest: Partial<ConnectorInput> = {}): ConnectorInput {
  return stdioConnector(name, [slowProgram, '--journal', scratch.file(name), ...args], rest)
}

/** Adds a connector without waiting for it. */
async function addSoon(connector: ConnectorInput): Promise<void> {
  expect((await hub.api('POST', '/api/connectors', connector)).status).toBe(201)
}

const untilState = (name: string, wanted: string) =>
  waitFor(async () => {
    const health = await hub.health(name)
    return health.state === wanted ? health : undefined
  }, 60_000)

async function eventsOf(connector: string, kind: string): Promise<EventView[]> {
  const { body } = await hub.api('GET', `/api/traces?kind=${kind}&connector=${connector}&limit=100`)
  return (body as { events: EventView[] }).events
}

interface Refusing extends AsyncDisposable {
  readonly url: string
  /** When requests came. */
  readonly asked: number[]
}

/** An HTTP server that answers everything in one way. */
async function startAnswering(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Refusing> {
  const asked: number[] = []
  const http = createServer((request, response) => {
    asked.push(performance.now())
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  const stop = async () => {
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  }
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  return { url, asked, [Symbol.asyncDispose]: stop }
}

describe('a server that is slow to start', () => {
  const options = { handshakeTimeoutMs: 8000, maxRestarts: 0 }

  test('is served although its answer comes late', async () => {
    await using fast = await startHttpServer({ era: 'modern' })
    // The probe of a server over HTTP, answered when half of the time is over; nothing older is understood.
    await using late = await startAnswering((request, response) => void passLate(request, response, fast.url))
    await Promise.all([
      addSoon(slow('slow-both', ['--delay', '4500'], { options })),
      addSoon({ name: 'late-http', transport: 'stream', baseUrl: late.url, options }),
    ])
    await Promise.all([untilState('slow-both', 'ready'), untilState('late-http', 'ready')])
    expect((await hub.health('late-http')).era).toBe('modern')
    expect(await call('slow-both__echo', { text: 'in the end' })).toBe('in the end')
    expect(await call('late-http__echo', { text: 'here too' })).toBe('here too')
  })

  test('and answers the question about its era twice, never, or by leaving disturbs nobody', async () => {
    await addSoon(slow('twice', ['--first', 'twice']))
    await addSoon(slow('never', ['--first', 'never'], { options: { handshakeTimeoutMs: 1500, maxRestarts: 0 } }))
    await addSoon(slow('leaving', ['--first', 'exit'], { options: { maxRestarts: 1 } }))
    await untilState('twice', 'ready')
    expect(await call('twice__echo', { text: 'once' })).toBe('once')
    await untilState('never', 'failed')
    // Every failed start counts, so it comes to rest.
    expect(await untilState('leaving', 'failed')).toMatchObject({ failedStarts: 2 })
  })

  /** Passes requests on, the probe after a while; `initialize` is refused as by a server that knows no sessions. */
  async function passLate(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    if (body.includes('"initialize"')) return void response.writeHead(400).end()
    if (body.includes('server/discover')) await new Promise((resolve) => setTimeout(resolve, 4500))
    const headers = Object.entries(request.headers).filter(([name]) => /^(mcp-|content-type|accept$)/.test(name))
    const answer = await fetch(url, {
      method: request.method!,
      headers: headers as [string, string][],
      body: request.method === 'POST' ? body : null,
    })
    if (body.includes('subscriptions/listen')) return void response.writeHead(405).end()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }
})

describe('while a process is restarted', () => {
  const starts = (name: string) => readJournal(scratch.file(name)).filter(({ event }) => event === 'started').length

  test('calls wait for it, also when its first restart fails, and come in order', async () => {
    const broken = scratch.file('broken-flag')
    await hub.add(scriptedConnector('back', scratch.file('back'), { args: ['--broken', broken] }))
    await call('back__echo', { text: 'up' })
    const before = starts('back')
    await writeFile(broken, '')
    const { processId } = await hub.health('back')
    process.kill(processId!, 'SIGKILL')
    await waitFor(async () => ((await hub.health('back')).processId === processId ? undefined : true))
    const texts = ['1', '2', '3', '4', '5']
    const answers = Promise.all(texts.map((text) => call('back__who', { text })))
    await waitFor(() => (starts('back') > before ? true : undefined))
    await rm(broken)
    expect((await answers).map((answer) => (JSON.parse(answer) as { pid: number }).pid)).toHaveLength(5)
    const ids = readJournal(scratch.file('back')).flatMap(({ event, name, id }) =>
      event === 'call' && name === 'who' ? [id!] : [],
    )
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  test('because its connector was changed, calls that were not sent go to the new one', async () => {
    const options = { handshakeTimeoutMs: 30_000 }
    const change = (ms: string) =>
      hub.api('PATCH', '/api/connectors/changed', { env: [{ name: 'SLOW_MS', value: ms }] })
    await hub.add(slow('changed', [], { options }))
    // Now it takes long, so that a call waits for it.
    await change('25000')
    const answer = call('changed__echo', { text: 'kept' })
    await waitFor(async () => ((await hub.health('changed')).inFlight > 0 ? true : undefined))
    await change('0')
    expect(await answer).toBe('kept')
  })
})

describe('a server over HTTP that refuses', () => {
  test('is asked ever more rarely, which is one event with a count', async () => {
    await using refusing = await startAnswering((_, response) => response.writeHead(400).end())
    await addSoon({ name: 'mistyped', transport: 'stream', baseUrl: refusing.url })
    await waitFor(async () => ((await hub.health('mistyped')).failedStarts >= 3 ? true : undefined))
    // One second at least after the first attempt, two after the second.
    expect(refusing.asked.at(-1)! - refusing.asked[0]!).toBeGreaterThan(2900)
    const { retryAt, lastError } = await hub.health('mistyped')
    expect(lastError?.message).toContain('HTTP 400')
    expect(Date.parse(retryAt!) - Date.parse(lastError!.at)).toBeGreaterThan(3900)
    expect(await eventsOf('mistyped', 'downstream.backoff')).toHaveLength(1)
    await hub.api('PATCH', '/api/connectors/mistyped', { enabled: false })
    const [told] = await waitFor(async () => {
      const events = await eventsOf('mistyped', 'downstream.repeated')
      return events.length > 0 ? events : undefined
    })
    expect(told!.data).toMatchObject({ count: 3, reason: expect.stringContaining('HTTP 400') })
  })

  test('and asks for a pause is left alone, but for a person who tests it', async () => {
    let isBusy = true
    await using server = await startHttpServer({ era: 'modern' })
    await using busy = await startAnswering((request, response) => {
      if (isBusy) response.writeHead(503, { 'retry-after': '3600' }).end()
      else response.writeHead(307, { location: server.url }).end()
    })
    await addSoon({ name: 'busy', transport: 'stream', baseUrl: busy.url })
    const { retryAt } = await waitFor(async () => {
      const health = await hub.health('busy')
      return health.lastError === null ? undefined : health
    })
    expect(Date.parse(retryAt!) - Date.now()).toBeGreaterThan(3_000_000)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const asked = busy.asked.length
    expect(asked).toBe(1)
    const { body } = await hub.api('POST', '/api/connectors/busy/test')
    expect((body as TestReport).cause).toContain('HTTP 503')
    isBusy = false
    expect(busy.asked.length).toBeGreaterThan(asked)
  })
})

describe('a server that npx installs first', () => {
  let registry: NpmRegistry
  let cache: string

  beforeAll(async () => {
    registry = await startNpmRegistry()
    cache = scratch.file('npm-cache')
  })
  afterAll(() => registry[Symbol.asyncDispose]())

  const npx = (name: string, rest: Partial<ConnectorInput> = {}): ConnectorInput => ({
    name,
    transport: 'stdio',
    cmd: 'npx',
    args: ['-y', `${registry.packageName}@1.0.0`],
    workingDir: scratch.file(''),
    env: [
      { name: 'npm_config_registry', value: registry.url },
      { name: 'npm_config_cache', value: cache },
      { name: 'npm_config_update_notifier', value: 'false' },
    ],
    ...rest,
  })
  const options = { handshakeTimeoutMs: 1000 }
  const folders = () => readdirSync(join(cache, '_npx')).map((name) => join(cache, '_npx', name))

  test('is shown as installing, and served however long that takes', async () => {
    registry.delayMs = 2500
    await addSoon(npx('installed', { options }))
    await waitFor(async () => ((await hub.health('installed')).state === 'installing' ? true : undefined))
    await waitFor(() => (registry.downloads > 0 ? true : undefined))
    expect((await hub.health('installed')).state).toBe('installing')
    await untilState('installed', 'ready')
    expect(await hub.health('installed')).toMatchObject({ failedStarts: 0, restartCount: 0 })
    expect(await call('installed__echo', { text: 'here' })).toBe('here')
  })

  test('has its half-made folder named when it cannot start, which a person then removes', async () => {
    const [folder] = folders()
    // As an npx leaves it that was killed in the middle.
    await rm(join(folder!, 'package.json'))
    const { body } = await hub.api('POST', '/api/connectors/installed/test')
    const report = body as TestReport
    expect(report).toMatchObject({ ok: false, brokenCache: folder })
    expect(report.fix).toContain(`left ${folder} half made`)
    for (const other of [cache, join(cache, '_npx'), join(folder!, 'node_modules'), `${folder}/../../_logs`]) {
      const refused = await hub.api(
        'DELETE',
        `/api/connectors/installed/broken-cache?folder=${encodeURIComponent(other)}`,
      )
      expect(refused.status).toBe(403)
    }
    expect(existsSync(folder!)).toBe(true)
    registry.delayMs = 0
    const { terminal, written } = captureTerminal({ env: { HERMA_STATE_HOME: hub.stateHome } })
    expect(await runCli(['test', 'installed', '--remove-broken-cache'], terminal)).toBe(0)
    expect(written.error).toContain(`Removed ${folder}`)
    expect(await call('installed__echo', { text: 'again' })).toBe('again')
  })

  test('is not killed in the middle of it when its connector is removed', async () => {
    for (const folder of folders()) await rm(folder, { recursive: true })
    await rm(join(cache, '_cacache'), { recursive: true })
    registry.delayMs = 2500
    const before = registry.downloads
    await addSoon(npx('removed', { options }))
    await waitFor(() => (registry.downloads > before ? true : undefined))
    expect((await hub.api('DELETE', '/api/connectors/removed')).status).toBe(204)
    await waitFor(() => (folders().some((folder) => existsSync(join(folder, 'package.json'))) ? true : undefined))
  })

  test('and never comes ends when its time is over', async () => {
    registry.delayMs = 600_000
    // The npx of the test before may still write into its cache.
    cache = scratch.file('empty-npm-cache')
    await addSoon(npx('endless', { options: { ...options, installTimeoutMs: 3000, maxRestarts: 0 } }))
    const { lastError } = await untilState('endless', 'failed')
    expect(lastError?.message).toContain('within')
  })
})

test('what a late or second answer leaves behind is only a remark', async () => {
  const { body } = await hub.api('GET', '/api/connectors/twice/logs')
  const { lines } = body as { lines: LogLine[] }
  expect(lines.some(({ text }) => text.includes('ignored an answer to the unknown id'))).toBe(true)
})
