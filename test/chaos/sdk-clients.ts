import { setTimeout as sleep } from 'node:timers/promises'
import * as modern from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Crowd } from './crowd.ts'

const timeoutMs = 15_000
const betweenMs = 150
const againMs = 300

interface Connected {
  /** Calls the tool and gives the texts of its answer. */
  call(text: string): Promise<unknown[]>
  sessionId(): string | undefined
  close(): Promise<void>
}

/** Legacy clients of the TypeScript SDK, of its first or second version. */
export async function startSdkClients(options: {
  kind: 'v1' | 'v2'
  count: number
  endpoint: URL
  tool: string
}): Promise<Crowd> {
  const { kind, count } = options
  const connect = kind === 'v1' ? connectV1 : connectV2
  const clients = await Promise.all(Array.from({ length: count }, () => connect(options.endpoint, options.tool)))
  const rounds = clients.map(() => 0)
  const report = { calls: 0, failed: 0, wrong: 0, notes: [] as unknown[] }
  const stopping = new AbortController()
  const ids = clients.map((client) => client.sessionId())

  const check = async (client: Connected, text: string) => {
    while (!stopping.signal.aborted) {
      try {
        const texts = await client.call(text)
        report.calls++
        if (texts.length !== 1 || texts[0] !== text) {
          report.wrong++
          report.notes.push([text, texts])
        }
        return
      } catch (error) {
        report.failed++
        report.notes[0] = String(error)
        await sleep(againMs)
      }
    }
  }
  const runs = clients.map(async (client, number) => {
    while (!stopping.signal.aborted) {
      await check(client, `${kind}-${number}-${rounds[number]! + 1}`)
      rounds[number]!++
      await sleep(betweenMs)
    }
  })
  return {
    name: `TypeScript SDK ${kind}`,
    size: count,
    leastRounds: () => Promise.resolve(Math.min(...rounds)),
    pause: () => Promise.resolve(),
    go: () => {},
    async stop() {
      stopping.abort()
      await Promise.all(runs)
      const broken = clients.filter((client, number) => client.sessionId() !== ids[number]).length
      await Promise.allSettled(clients.map((client) => client.close()))
      return { ...report, broken, notes: report.notes.slice(0, 3) }
    },
    kill: () => stopping.abort(),
  }
}

async function connectV1(endpoint: URL, tool: string): Promise<Connected> {
  const client = new Client({ name: 'chaos-v1', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(endpoint)
  await client.connect(transport)
  return {
    async call(text) {
      const result = await client.callTool({ name: tool, arguments: { text } }, undefined, { timeout: timeoutMs })
      return textsOf(result.content)
    },
    sessionId: () => transport.sessionId,
    close: () => client.close(),
  }
}

async function connectV2(endpoint: URL, tool: string): Promise<Connected> {
  const client = new modern.Client(
    { name: 'chaos-v2', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: {} },
  )
  const transport = new modern.StreamableHTTPClientTransport(endpoint)
  await client.connect(transport)
  return {
    async call(text) {
      const result = await client.callTool({ name: tool, arguments: { text } }, { timeout: timeoutMs })
      return textsOf(result.content)
    },
    sessionId: () => transport.sessionId,
    close: () => client.close(),
  }
}

function textsOf(content: unknown): unknown[] {
  return (content as { text?: unknown }[]).map(({ text }) => text)
}
