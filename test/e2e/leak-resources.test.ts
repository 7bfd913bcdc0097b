import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { ConnectorInput, ConnectorView, HubStatus } from '@herma/contract'
import { expect, test } from 'vitest'
import { findProcesses } from '../fixtures/misbehaving/find-processes.ts'
import { startMisbehavingServer } from '../fixtures/misbehaving/start-misbehaving-server.ts'
import { startWatchedHub, type WatchedHub } from '../fixtures/misbehaving/watched-hub.ts'
import { stdioConnector, waitFor } from './start-test-hub.ts'

const program = fileURLToPath(new URL('../fixtures/misbehaving/stdio-server.mjs', import.meta.url))
const crashing = fileURLToPath(new URL('../fixtures/misbehaving/crashing-server.sh', import.meta.url))
const megabyte = 1_000_000

interface Footprint {
  readonly rss: number
  readonly openFiles: number
  readonly processes: number
}

async function footprint(hub: WatchedHub): Promise<Footprint> {
  const { rss } = await hub.memory()
  return { rss, openFiles: hub.openFiles(), processes: hub.children().length }
}

function describeGrowth(first: Footprint, second: Footprint): string {
  const grown = ((second.rss - first.rss) / megabyte).toFixed(1)
  return `RSS ${grown} MB more, ${second.openFiles} files open (${first.openFiles} before), ${second.processes} processes`
}

/** A client with sockets of its own, so that it can vanish. */
class Vanishing {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #url: string
  #sessionId = ''

  constructor(hub: WatchedHub) {
    this.#url = `${hub.url}/mcp`
  }

  async connect(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const response = await this.#send('POST', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    this.#sessionId = String(response.headers['mcp-session-id'])
    await drain(response)
  }

  /** Opens the stream for notifications and leaves it open. */
  async listen(): Promise<void> {
    const response = await this.#send('GET')
    response.on('error', () => {}).resume()
  }

  async call(name: string, args = {}): Promise<string> {
    const params = { name, arguments: args }
    return drain(await this.#send('POST', { jsonrpc: '2.0', id: 2, method: 'tools/call', params }))
  }

  /** Calls a tool and reads no more than the head of the answer. */
  async callWithoutReading(name: string): Promise<void> {
    const response = await this.#send('POST', { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name } })
    response.on('error', () => {})
  }

  vanish(): void {
    this.#agent.destroy()
  }

  async #send(method: string, body?: unknown): Promise<IncomingMessage> {
    const headers = {
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(this.#sessionId !== '' && { 'mcp-session-id': this.#sessionId }),
    }
    const sent = request(this.#url, { method, headers, agent: this.#agent })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  }
}

async function drain(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

async function addServer(hub: WatchedHub, connector: ConnectorInput): Promise<void> {
  await hub.api('POST', '/api/connectors', connector)
  await waitFor(async () => {
    const { counts } = (await hub.api('GET', `/api/connectors/${connector.name}`)) as ConnectorView
    return counts.tools > 0 ? true : undefined
  })
}

async function connectionCount(hub: WatchedHub): Promise<number> {
  return ((await hub.api('GET', '/api/status')) as HubStatus).connections
}

test('500 clients that vanish without a word leave nothing behind', async ({ annotate }) => {
  await using hub = await startWatchedHub()
  await addServer(hub, stdioConnector('well', [program]))
  const round = async () => {
    for (let batch = 0; batch < 10; batch++) {
      const clients = Array.from({ length: 50 }, () => new Vanishing(hub))
      await Promise.all(
        clients.map(async (client) => {
          await client.connect()
          await client.listen()
          expect(await client.call('well__echo', { text: 'hello' })).toContain('hello')
        }),
      )
      for (const client of clients) client.vanish()
    }
    await waitFor(async () => ((await connectionCount(hub)) === 0 ? true : undefined))
  }
  await round()
  const first = await footprint(hub)
  await round()
  const second = await waitFor(async () => {
    const now = await footprint(hub)
    return now.openFiles <= first.openFiles ? now : undefined
  })
  // The process that read the lists goes when the clients have one of their own, so there may be one less.
  expect(second.processes).toBeLessThanOrEqual(first.processes)
  await annotate(describeGrowth(first, second))
  expect(second.rss - first.rss).toBeLessThan(15 * megabyte)
})

test('clients that vanish take the processes along that were started for them', async () => {
  await using hub = await startWatchedHub({ idleMs: 3000 })
  const marker = `own-${randomUUID()}`
  const options = { isolation: 'connection', idleTimeoutMs: 0 } as const
  await addServer(hub, stdioConnector('own', [program, 'well', marker], { options }))
  const before = findProcesses(marker).length
  const clients = Array.from({ length: 4 }, () => new Vanishing(hub))
  await Promise.all(
    clients.map(async (client) => {
      await client.connect()
      expect(await client.call('own__twice')).toContain('good')
    }),
  )
  expect(findProcesses(marker)).toHaveLength(before + 4)
  for (const client of clients) client.vanish()
  await waitFor(() => (findProcesses(marker).length === before ? true : undefined))
})

test('100 crashes of a server leave nothing behind', async ({ annotate }) => {
  await using hub = await startWatchedHub({ idleMs: 600_000 })
  await addServer(hub, { name: 'crash', transport: 'stdio', cmd: '/bin/sh', args: [crashing] })
  const client = new Vanishing(hub)
  await client.connect()
  const crash = async (times: number) => {
    for (let count = 0; count < times; count++) {
      // A call that goes well between two crashes: crashes in a row are waited after.
      expect(await client.call('crash__well')).toContain('"well"')
      expect(await client.call('crash__crash')).toContain("'crash' exited with code 9")
    }
  }
  await crash(50)
  const first = await footprint(hub)
  await crash(100)
  const second = await waitFor(async () => {
    const now = await footprint(hub)
    return now.openFiles <= first.openFiles && now.processes <= first.processes ? now : undefined
  })
  client.vanish()
  await annotate(describeGrowth(first, second))
  expect(second.rss - first.rss).toBeLessThan(15 * megabyte)
})

test('large answers that nobody reads wait at their server and not in the hub', async ({ annotate }) => {
  await using server = await startMisbehavingServer()
  await using hub = await startWatchedHub({ idleMs: 600_000 })
  const options = { maxMessageBytes: 100_000_000 }
  await addServer(hub, { name: 'large', transport: 'stream', baseUrl: `${server.url}/tools/mcp`, options })
  const clients = Array.from({ length: 9 }, () => new Vanishing(hub))
  const [warm, ...others] = clients
  await warm!.connect()
  expect((await warm!.call('large__large-known')).length).toBeGreaterThan(50 * megabyte)
  const first = await footprint(hub)
  await Promise.all(
    others.map(async (client) => {
      await client.connect()
      await client.callWithoutReading('large__large-known')
    }),
  )
  const second = await footprint(hub)
  await annotate(describeGrowth(first, second))
  // They are 400 MB together.
  expect(second.rss - first.rss).toBeLessThan(60 * megabyte)
  for (const client of clients) client.vanish()
})

test('an idle connection costs little', async ({ annotate }) => {
  await using hub = await startWatchedHub({ idleMs: 600_000 })
  const count = 1000
  const open = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const clients = Array.from({ length: 20 }, () => new Vanishing(hub))
      await Promise.all(clients.map((client) => client.connect()))
      for (const client of clients) client.vanish()
    }
  }
  // What is made once, such as compiled code, is made before the count begins.
  await open(10)
  const before = await hub.memory()
  await open(count / 20)
  const after = await hub.memory()
  expect(await connectionCount(hub)).toBe(count + 200)
  const bytes = (after.heapUsed + after.external - before.heapUsed - before.external) / count
  await annotate(`${Math.round(bytes)} bytes of heap for each idle connection`)
  expect(bytes).toBeLessThan(30_000)
})
