import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, ConnectorView } from '@herma/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RawClient } from '../fixtures/misbehaving/raw-client.ts'
import { startMisbehavingServer, type MisbehavingServer } from '../fixtures/misbehaving/start-misbehaving-server.ts'
import { startWatchedHub, type WatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { stdioConnector, waitFor } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const canary = randomBytes(16).toString('hex')
/** A secret that no stored connector has. */
const unstored = randomBytes(16).toString('hex')
// Of a secret that was cut in half either half would still be one.
const traces = [canary, unstored].flatMap((secret) => {
  const base64 = Buffer.from(secret).toString('base64')
  return [secret.slice(0, 10), secret.slice(-10), base64.slice(0, 13)]
})
const options = { maxRestarts: 0, handshakeTimeoutMs: 2000, requestTimeoutMs: 1000, maxRequestMs: 3000 }

let server: MisbehavingServer
let hub: WatchedHub
let connectors: ConnectorInput[]

beforeAll(async () => {
  server = await startMisbehavingServer()
  hub = await startWatchedHub({ idleMs: 600_000 })
  connectors = [
    overHttp('no-host', 'http://no-such-host.invalid/mcp'),
    overHttp('no-listener', 'http://127.0.0.1:9/mcp'),
    ...['status-401', 'status-500', 'status-302', 'echo-header', 'html', 'reset', 'no-http', 'hang', 'tools'].map(
      (path) => overHttp(path, `${server.url}/${path}/mcp`),
    ),
    { ...overHttp('sse', `${server.url}/status-401/mcp`), transport: 'sse' },
    { ...overHttp('bad-value', `${server.url}/well/mcp`), headers: [{ name: 'Authorization', value: `a\n${canary}` }] },
    overStdio('no-command', [], '/no/such/command'),
    ...['well', 'exit', 'crash', 'leak', 'hang', 'wrong-revision', 'garbage'].map((mode) =>
      overStdio(`stdio-${mode}`, [program, mode]),
    ),
  ]
  for (const connector of connectors) await hub.api('POST', '/api/connectors', connector)
  await waitFor(async () => {
    const { connectors: views } = (await hub.api('GET', '/api/connectors')) as { connectors: ConnectorView[] }
    const isSettled = ({ health }: ConnectorView) => health.state !== 'starting' && health.state !== 'idle'
    return views.every(isSettled) ? true : undefined
  }, 60_000)
})

afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

function overHttp(name: string, baseUrl: string): ConnectorInput {
  const headers = [
    { name: 'Authorization', value: `Bearer ${canary}` },
    { name: 'X-Api-Key', value: canary },
  ]
  return { name, transport: 'stream', baseUrl, headers, options }
}

function overStdio(name: string, args: string[], cmd = process.execPath): ConnectorInput {
  return stdioConnector(name, args, { cmd, env: [{ name: 'SERVER_TOKEN', value: canary }], options })
}

function expectNoTrace(text: string | Buffer, where: string): void {
  for (const trace of traces) expect(text.includes(trace), `${where} shows the secret`).toBe(false)
}

async function expectCleanAnswer(method: string, path: string, body?: unknown): Promise<void> {
  expectNoTrace(JSON.stringify(await hub.api(method, path, body)), `${method} ${path}`)
}

test('the servers that fail with a secret have been told it', async () => {
  const lines = JSON.stringify(await hub.api('GET', '/api/connectors/stdio-leak/logs'))
  expect(lines).toContain('SERVER_TOKEN=••••')
  expect(lines).toContain('the token is ••••')
})

describe('a secret appears', () => {
  test('in no answer of the management API', async () => {
    for (const path of ['connectors', 'events?limit=1000', 'status', 'tools', 'openapi.json']) {
      await expectCleanAnswer('GET', `/api/${path}`)
    }
    for (const { name } of connectors) {
      for (const part of ['', '/health', '/tools', '/logs?limit=1000']) {
        await expectCleanAnswer('GET', `/api/connectors/${name}${part}`)
      }
    }
  })

  test('in no report of a test, whether the connector is stored or not', async () => {
    for (const connector of connectors) {
      const other = JSON.stringify({ connector }).replaceAll(canary, unstored)
      await Promise.all([
        expectCleanAnswer('POST', `/api/connectors/${connector.name}/test`, {}),
        expectCleanAnswer('POST', '/api/connector-test', JSON.parse(other)),
      ])
    }
  })

  test('in no error to a client', async () => {
    const client = new RawClient(`${hub.url}/mcp`)
    const connection = await client.connect()
    const { message } = await connection.request('tools/list')
    const tools = (message.result as unknown as { tools: { name: string }[] }).tools.map(({ name }) => name)
    expect(tools.length).toBeGreaterThan(20)
    const called = tools.filter((name) => !/large|deaf|flood/.test(name))
    await Promise.all(
      called.map(async (name) => {
        const text = await connection.request('tools/call', { name }).then((answer) => answer.text, String)
        expectNoTrace(text, name)
      }),
    )
    for (const { name } of connectors) {
      expectNoTrace((await connection.request('resources/read', { uri: `demo://${name}` })).text, name)
    }
  })

  test('in no answer after a change that tries to get it out', async () => {
    for (const change of [
      {
        headers: [
          { name: 'Authorization', secret: false },
          { name: 'x-api-key', secret: false },
        ],
      },
      { headers: [{ name: 'authorization' }], notes: 'seen?' },
      { options: { ...options, prefix: 'other' } },
      { enabled: false },
      { enabled: true },
    ]) {
      await expectCleanAnswer('PATCH', '/api/connectors/status-401', change)
      await expectCleanAnswer('GET', '/api/connectors/status-401')
    }
  })

  test('in no list of processes', () => {
    expectNoTrace(execFileSync('ps', ['-eo', 'pid,args', '-ww']), 'ps')
  })

  test('in no file of the hub, not even in those of its database', async () => {
    await hub.api('DELETE', '/api/connectors/stdio-exit')
    let count = 0
    for (const entry of readdirSync(hub.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const text = readUnlessGone(file)
      if (text === null) continue
      expectNoTrace(text, file)
      count++
    }
    expect(count).toBeGreaterThan(500)
  })

  test('in no line of its log', () => {
    expectNoTrace(hub.log(), 'the log')
  })
})

/** Its database goes on meanwhile, and removes what it has made anew. */
function readUnlessGone(file: string): Buffer | null {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
