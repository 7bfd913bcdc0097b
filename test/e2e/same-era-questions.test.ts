import type { ConnectorInput } from '@herma/contract'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernStdioConnector } from '../fixtures/modern-stdio-connector.ts'
import { startHttpServer, type HttpFixture } from '../fixtures/start-http-server.ts'
import { startEverything, type EverythingServer } from './start-everything.ts'
import { serverProgram, startTestHub, stdioConnector, waitFor, type TestHub } from './start-test-hub.ts'

const capabilities = { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } }

let hub: TestHub
let everything: EverythingServer
let modern: HttpFixture

beforeAll(async () => {
  modern = await startHttpServer({ era: 'modern' })
  everything = await startEverything('streamableHttp')
  hub = await startTestHub()
  const stdio = [serverProgram('everything'), 'stdio']
  const remote: ConnectorInput = { name: 'remote', transport: 'stream', baseUrl: `${everything.origin}/mcp` }
  const options = { isolation: 'connection' } as const
  const connectors: ConnectorInput[] = [
    stdioConnector('local', stdio),
    stdioConnector('local-own', stdio, { options }),
    remote,
    { ...remote, name: 'remote-own', options },
    { name: 'modern', transport: 'stream', baseUrl: modern.url },
    modernStdioConnector('modern-local'),
  ]
  await Promise.all(connectors.map((connector) => hub.add(connector)))
})

afterAll(async () => {
  await hub?.stop()
  await everything?.[Symbol.asyncDispose]()
  await modern?.stop()
})

/** A person at a client: answers every kind of question with their name. */
async function connectPerson(name: string): Promise<{ client: Client; asked: string[] }> {
  const client = await hub.connectV1(capabilities)
  const asked: string[] = []
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    asked.push(`sampling ${params.maxTokens}`)
    return { model: `model of ${name}`, role: 'assistant', content: { type: 'text', text: `${name} thinks` } }
  })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(`elicitation ${params.message}`)
    return { action: 'accept', content: { name } }
  })
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked.push('roots')
    return { roots: [{ uri: `file:///home/${name}`, name }] }
  })
  return { client, asked }
}

async function textOf(call: Promise<unknown>): Promise<string> {
  const { content } = (await call) as { content: { text: string }[] }
  return content.map(({ text }) => text).join('\n')
}

describe.each(['local', 'remote', 'local-own', 'remote-own'])(
  'a legacy server behind the connector %s',
  (connector) => {
    test('gets a sampled message from the client that called', async () => {
      const { client, asked } = await connectPerson('ada')
      const params = { name: `${connector}__trigger-sampling-request`, arguments: { prompt: 'hi', maxTokens: 7 } }
      expect(await textOf(client.callTool(params))).toContain('ada thinks')
      expect(asked).toContain('sampling 7')
    })

    test('gets the form that the person at the client filled in', async () => {
      const { client, asked } = await connectPerson('ada')
      const text = await textOf(client.callTool({ name: `${connector}__trigger-elicitation-request`, arguments: {} }))
      expect(text).toContain('- Name: ada')
      expect(asked.filter((question) => question.startsWith('elicitation'))).toHaveLength(1)
    })

    test('hears of a client that cannot answer', async () => {
      const client = await hub.connectV1()
      const call = () => textOf(client.callTool({ name: `${connector}__trigger-elicitation-request`, arguments: {} }))
      // The one process of a server asks before it is known that it does.
      const first = connector === 'local' ? await call() : 'does not support'
      expect(first).toContain('does not support')
      // A server that is told what its client can do does not even offer the tool.
      expect(await call()).toMatch(/not found/)
    })
  },
)

test.each(['local-own', 'remote-own'])(
  'a server for each connection behind %s gets the roots of its client',
  async (connector) => {
    const { client } = await connectPerson('grace')
    const text = await textOf(client.callTool({ name: `${connector}__get-roots-list`, arguments: {} }))
    expect(text).toContain('file:///home/grace')
  },
)

describe.each(['local', 'local-own', 'remote', 'remote-own'])('two clients of the server behind %s', (connector) => {
  test('are each asked for their own call when both call at the same time', async () => {
    const people = await Promise.all(['ada', 'grace'].map(connectPerson))
    let arrived = 0
    let open: () => void = () => {}
    const bothAsked = new Promise<void>((resolve) => (open = resolve))
    const answers = people.map(async ({ client, asked }, index) => {
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        asked.push(`elicitation ${params.message}`)
        if (++arrived === people.length) open()
        await bothAsked
        return { action: 'accept', content: { name: `person ${index}` } }
      })
      return textOf(client.callTool({ name: `${connector}__trigger-elicitation-request`, arguments: {} }))
    })
    const texts = await Promise.all(answers)
    expect(texts[0]).toContain('- Name: person 0')
    expect(texts[1]).toContain('- Name: person 1')
    for (const { asked } of people)
      expect(asked.filter((question) => question.startsWith('elicitation'))).toHaveLength(1)
  })
})

test('a shared stdio server asks the client whose call it is while another one waits', async () => {
  const [ada, grace] = await Promise.all(['ada', 'grace'].map(connectPerson))
  const long = { name: 'local__trigger-long-running-operation', arguments: { duration: 60, steps: 1 } }
  const leaving = new AbortController()
  const underWay = grace!.client.callTool(long, undefined, { signal: leaving.signal })
  await waitFor(async () => ((await hub.health('local')).inFlight > 0 ? true : undefined))
  const text = await textOf(ada!.client.callTool({ name: 'local__trigger-elicitation-request', arguments: {} }))
  expect(text).toContain('- Name: ada')
  leaving.abort()
  await expect(underWay).rejects.toThrow(/abort/i)
  expect(grace!.asked.filter((question) => question.startsWith('elicitation'))).toEqual([])
})

describe.each(['modern', 'modern-local'])('a modern server behind the connector %s', (connector) => {
  test('gets its input_required answered by a modern client, with the state it minted', async () => {
    const client = await hub.connectV2('auto', { elicitation: { form: {} } })
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { name: 'ada' } }
    })
    expect(await textOf(client.callTool({ name: `${connector}__ask`, arguments: {} }))).toBe('Hello ada, step 1.')
    expect(asked).toEqual(['Who are you?'])
  })
})

test('a server of both eras asks each client in the era of that client', async () => {
  await using both = await startHttpServer({ era: 'both' })
  await hub.add({ name: 'both', transport: 'stream', baseUrl: both.url })
  const { client, asked } = await connectPerson('ada')
  expect(await textOf(client.callTool({ name: 'both__ask', arguments: {} }))).toContain('Hello ada')
  expect(asked).toEqual(['elicitation Who are you?'])
  const modernClient = await hub.connectV2('auto', { elicitation: { form: {} } })
  modernClient.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'grace' } }))
  expect(await textOf(modernClient.callTool({ name: 'both__ask', arguments: {} }))).toBe('Hello grace, step 1.')
})
