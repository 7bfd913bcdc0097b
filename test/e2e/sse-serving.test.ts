import { request as httpRequest } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { captureTerminal } from '../../packages/hub/src/cli/capture-terminal.ts'
import { runCli } from '../../packages/hub/src/cli/run-cli.ts'
import { SseParser } from '../../packages/hub/src/wire/index.ts'
import { everyCapability } from '../fixtures/caller/modern-caller.ts'
import { openStream } from '../fixtures/caller/post-message.ts'
import type { PuppetCall } from '../fixtures/puppet/puppet-call.ts'
import { startPuppet, type Puppet } from '../fixtures/puppet/start-puppet.ts'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let puppet: Puppet
const outcomes: string[] = []

const behaviours = {
  echo: ({ args }: PuppetCall) => String(args['text']),
  ask: (call: PuppetCall) => call.askWord('a word'),
  think: async (call: PuppetCall) =>
    JSON.stringify(await call.ask('sampling/createMessage', { messages: [], maxTokens: 5 })),
  async work(call: PuppetCall) {
    for (const step of [1, 2]) {
      call.progress(step)
      // The SDK forgets progress that comes in one read with the answer.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return 'worked'
  },
  hold: ({ signal }: PuppetCall) =>
    new Promise((resolve) => {
      outcomes.push('held')
      signal.addEventListener('abort', () => {
        outcomes.push('cancelled')
        resolve('cancelled')
      })
    }),
  grow({ session }: PuppetCall) {
    puppet.script.tools.push(`leaf-${puppet.script.tools.length}`)
    session.notify('notifications/tools/list_changed')
    return 'grown'
  },
}

beforeAll(async () => {
  puppet = await startPuppet({ transport: 'stream', behaviours, resources: ['puppet://one'] })
  hub = await startTestHub({ connectors: [puppet.connector('p')] })
})

afterAll(async () => {
  await hub?.stop()
  await puppet?.stop()
})

const turn = (sse: boolean) => hub.api('PATCH', '/api/servers/facade', { sse })
const paths = ['/sse', '/api/mcp/servers/facade/sse']

async function textOf(call: Promise<unknown>): Promise<string> {
  return ((await call) as { content: { text: string }[] }).content[0]!.text
}

describe('HTTP+SSE', () => {
  test.each([...paths, '/messages?sessionId=x', '/api/mcp/servers/facade/messages'])(
    'is off until it is turned on, and %s says how',
    async (path) => {
      const response = await fetch(hub.url + path, { method: path.includes('messages') ? 'POST' : 'GET' })
      expect(response.status).toBe(404)
      expect(await response.text()).toMatch(/herma server facade --sse on/)
    },
  )

  test('is not there for a server that does not exist', async () => {
    const response = await fetch(`${hub.url}/api/mcp/servers/nobody/sse`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain("'nobody'")
  })

  test('is turned on and off with the CLI, and clients see it at once', async () => {
    const herma = async (...args: string[]) => {
      const { terminal, written } = captureTerminal({ env: { HERMA_URL: hub.url, HERMA_STATE_HOME: hub.stateHome } })
      expect(await runCli(args, terminal), written.error).toBe(0)
      return written.out
    }
    expect(await herma('server')).toMatch(/facade .* off/)
    expect(await herma('server', 'facade', '--sse', 'on')).toContain('/sse')
    const stream = openStream(new URL(`${hub.url}/sse`), {}, () => {})
    stream.close()
    expect((await hub.api('GET', '/api/servers/facade')).body).toMatchObject({ sse: true, ssePath: '/sse' })
    expect(await herma('server', 'facade', '--sse', 'off')).toContain('off')
    expect((await fetch(`${hub.url}/sse`)).status).toBe(404)
  })

  test('that is turned off ends the streams that are open', async () => {
    await turn(true)
    const wire = await SseWire.open(hub.url)
    await wire.initialize()
    await turn(false)
    expect(await waitFor(() => (wire.hasEnded ? true : undefined), 3000).finally(() => wire.close())).toBe(true)
  })

  test('takes nothing but on and off through the API', async () => {
    expect((await hub.api('PATCH', '/api/servers/facade', { sse: 'yes' })).status).toBe(422)
    expect((await hub.api('PATCH', '/api/servers/nobody', { sse: true })).status).toBe(404)
  })
})

describe.each(paths)('the SSE client of the v1 SDK at %s', (path) => {
  let client: Client

  beforeAll(async () => {
    await turn(true)
    client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities: everyCapability })
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { word: 'said' } }))
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      model: 'm',
      role: 'assistant',
      content: { type: 'text', text: 'thought' },
    }))
    await client.connect(new SSEClientTransport(new URL(hub.url + path)))
  })
  afterAll(() => client?.close())

  test('lists and calls, several at once, large and small', async () => {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('p__echo')
    const texts = ['one', 'ünïcode\n\r\n', 'x'.repeat(300_000)]
    const calls = texts.map((text) => textOf(client.callTool({ name: 'p__echo', arguments: { text } })))
    expect(await Promise.all(calls)).toEqual(texts)
  })

  test('gets progress, is asked, and gets errors', async () => {
    const progress: number[] = []
    const options = { onprogress: (event: { progress: number }) => void progress.push(event.progress) }
    expect(await textOf(client.callTool({ name: 'p__work' }, undefined, options))).toBe('worked')
    expect(progress).toEqual([1, 2])
    expect(await textOf(client.callTool({ name: 'p__ask' }))).toBe('said')
    expect(await textOf(client.callTool({ name: 'p__think' }))).toContain('thought')
    await expect(client.callTool({ name: 'p__nowhere' })).rejects.toThrow(/Unknown tool/)
  })

  test('hears of changed lists and of resources that it watches', async () => {
    const heard: string[] = []
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'))
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri))
    await client.callTool({ name: 'p__grow' })
    await waitFor(() => (heard.includes('tools') ? true : undefined))
    await client.subscribeResource({ uri: 'puppet://one' })
    await waitFor(() => (puppet.sessions.some(({ subscribed }) => subscribed.size > 0) ? true : undefined))
    puppet.touch('puppet://one')
    await waitFor(() => (heard.includes('puppet://one') ? true : undefined))
    await client.unsubscribeResource({ uri: 'puppet://one' })
    await waitFor(() => (puppet.sessions.every(({ subscribed }) => subscribed.size === 0) ? true : undefined))
    expect(heard).toContain('puppet://one')
  })

  test('cancels a call', async () => {
    outcomes.length = 0
    const aborting = new AbortController()
    const call = client.callTool({ name: 'p__hold' }, undefined, { signal: aborting.signal })
    await waitFor(() => (outcomes.includes('held') ? true : undefined))
    aborting.abort()
    await expect(call).rejects.toThrow(/abort/i)
    await waitFor(() => (outcomes.includes('cancelled') ? true : undefined))
  })
})

describe('a client of HTTP+SSE', () => {
  beforeEach(() => turn(true))

  test('that closes its stream ends its connection and its calls', async () => {
    outcomes.length = 0
    const before = await connections()
    const wire = await SseWire.open(hub.url)
    await wire.initialize()
    expect(await connections()).toBe(before + 1)
    await wire.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'p__hold' } })
    await waitFor(() => (outcomes.includes('held') ? true : undefined))
    wire.close()
    await waitFor(() => (outcomes.includes('cancelled') ? true : undefined))
    await waitFor(async () => ((await connections()) === before ? true : undefined))
    expect((await wire.post({ jsonrpc: '2.0', id: 3, method: 'ping' })).status).toBe(404)
  })

  test.each(['', '?sessionId=', '?sessionId=00000000-0000-4000-8000-000000000000', '?sessionId=__proto__'])(
    'that posts to /messages%s is sent back to open a stream',
    async (query) => {
      const response = await postJson(`${hub.url}/messages${query}`, { jsonrpc: '2.0', id: 1, method: 'ping' })
      expect(response.status).toBe(404)
      expect(await response.text()).toContain('open the event stream again')
    },
  )

  test('is told to initialize first, and only once', async () => {
    const wire = await SseWire.open(hub.url)
    const early = await wire.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect(early.status).toBe(400)
    expect(await early.text()).toContain('initialize')
    await wire.initialize()
    await wire.post({ jsonrpc: '2.0', id: 9, method: 'initialize', params: { protocolVersion: '2024-11-05' } })
    expect(await wire.answer(9)).toMatchObject({ error: { code: -32600 } })
    wire.close()
  })

  test('may send batches when it speaks 2025-03-26, and no other revision', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id: `b${id}`, method: 'ping' }))
    const [wire, older] = [await SseWire.open(hub.url), await SseWire.open(hub.url)]
    await wire.initialize('2025-03-26')
    expect((await wire.post(batch)).status).toBe(202)
    const answers = await waitFor(() => wire.values.find(Array.isArray))
    expect(answers.map(({ id }: { id: string }) => id).toSorted()).toEqual(['b1', 'b2'])
    await older.initialize('2024-11-05')
    const refused = await older.post(batch)
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('-32600')
    wire.close()
    older.close()
  })

  test('must come from this machine and from its own pages', async () => {
    for (const headers of [
      ['host', 'evil.example'],
      ['origin', 'https://evil.example'],
    ] as const) {
      for (const path of paths) expect(await statusOf(path, Object.fromEntries([headers]))).toBe(403)
    }
  })

  test('gets a clear answer to bad messages, wrong methods and wrong types', async () => {
    const wire = await SseWire.open(hub.url)
    expect((await fetch(wire.endpoint, { method: 'POST', body: '{', headers: json })).status).toBe(400)
    expect(
      (await fetch(wire.endpoint, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })).status,
    ).toBe(415)
    expect((await fetch(wire.endpoint)).status).toBeGreaterThanOrEqual(400)
    expect((await fetch(`${hub.url}/sse`, { method: 'POST' })).status).toBe(405)
    wire.close()
  })
})

async function connections(): Promise<number> {
  return ((await hub.api('GET', '/api/status')).body as { connections: number }).connections
}

const json = { 'content-type': 'application/json' }

function postJson(url: string | URL, body: unknown): Promise<Response> {
  return fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) })
}

function statusOf(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(hub.url + path, { headers, agent: false }, (response) => {
      resolve(response.statusCode!)
      outgoing.destroy()
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** A client that sees its stream as it is. */
class SseWire {
  readonly values: unknown[] = []
  endpoint!: URL
  hasEnded = false
  close!: () => void

  static async open(url: string): Promise<SseWire> {
    const wire = new SseWire()
    await new Promise<void>((resolve, reject) => {
      const outgoing = httpRequest(`${url}/sse`, { headers: { accept: 'text/event-stream' }, agent: false })
      outgoing.on('error', reject)
      outgoing.on('response', (response) => {
        const parser = new SseParser(({ type, data }) => {
          if (type !== 'endpoint') return void wire.values.push(JSON.parse(data.toString('utf8')))
          wire.endpoint = new URL(data.toString('utf8'), url)
          resolve()
        }, 1_000_000)
        response.on('data', (chunk: Buffer) => parser.push(chunk))
        // Closing is part of the tests.
        response.on('error', () => undefined)
        response.once('close', () => {
          wire.hasEnded = true
        })
      })
      wire.close = () => void outgoing.destroy()
      outgoing.end()
    })
    return wire
  }

  post(body: unknown): Promise<Response> {
    return postJson(this.endpoint, body)
  }

  answer(id: unknown): Promise<object> {
    return waitFor(() => this.values.find((value) => (value as { id?: unknown }).id === id) as object | undefined)
  }

  async initialize(protocolVersion = '2024-11-05'): Promise<void> {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'wire', version: '1' } }
    await this.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const answer = await this.answer(1)
    if (!JSON.stringify(answer).includes(protocolVersion)) throw new Error(`not initialized: ${JSON.stringify(answer)}`)
  }
}
