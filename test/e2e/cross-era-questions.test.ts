import type { ConnectorInput } from '@herma/contract'
import type * as v2 from '@modelcontextprotocol/client'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernStdioConnector } from '../fixtures/modern-stdio-connector.ts'
import { startHttpServer, type HttpFixture } from '../fixtures/start-http-server.ts'
import { startEverything, type EverythingServer } from './start-everything.ts'
import { serverProgram, startTestHub, stdioConnector, type TestHub } from './start-test-hub.ts'

const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }

let hub: TestHub
let everything: EverythingServer
let olderEverything: EverythingServer
let modern: HttpFixture

beforeAll(async () => {
  modern = await startHttpServer({ era: 'modern' })
  everything = await startEverything('streamableHttp')
  olderEverything = await startEverything('sse')
  hub = await startTestHub()
  const connectors: ConnectorInput[] = [
    stdioConnector('local', [serverProgram('everything'), 'stdio']),
    { name: 'remote', transport: 'stream', baseUrl: `${everything.origin}/mcp` },
    { name: 'older', transport: 'sse', baseUrl: `${olderEverything.origin}/sse` },
    { name: 'modern', transport: 'stream', baseUrl: modern.url },
    modernStdioConnector('modern-local'),
  ]
  await Promise.all(connectors.map((connector) => hub.add(connector)))
})

afterAll(async () => {
  await hub?.stop()
  await everything?.[Symbol.asyncDispose]()
  await olderEverything?.[Symbol.asyncDispose]()
  await modern?.stop()
})

async function textOf(call: Promise<unknown>): Promise<string> {
  const { content } = (await call) as { content: { text: string }[] }
  return content.map(({ text }) => text).join('\n')
}

async function connectModern(
  name: string,
  can: object = capabilities,
): Promise<{ client: v2.Client; asked: string[] }> {
  const client = await hub.connectV2('auto', can)
  const asked: string[] = []
  const has = can as Partial<typeof capabilities>
  if (has.roots) client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///home/${name}`, name }] }))
  if (has.elicitation) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(`elicitation ${params.message}`)
      return { action: 'accept', content: { name } }
    })
  }
  if (has.sampling) {
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      asked.push(`sampling ${params.maxTokens}`)
      return { model: `model of ${name}`, role: 'assistant', content: { type: 'text', text: `${name} thinks` } }
    })
  }
  return { client, asked }
}

async function connectLegacy(name: string): Promise<{ client: Client; asked: string[] }> {
  const client = await hub.connectV1(capabilities)
  const asked: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return { action: 'accept', content: { name } }
  })
  return { client, asked }
}

describe.each(['local', 'remote', 'older'])('a modern client of the legacy server behind %s', (connector) => {
  test('is asked for a form in the middle of its call', async () => {
    const { client, asked } = await connectModern('ada')
    const text = await textOf(client.callTool({ name: `${connector}__trigger-elicitation-request`, arguments: {} }))
    expect(text).toContain('- Name: ada')
    expect(asked).toHaveLength(1)
  })

  test('is asked for a message of its model', async () => {
    const { client, asked } = await connectModern('ada')
    const params = { name: `${connector}__trigger-sampling-request`, arguments: { prompt: 'hi', maxTokens: 7 } }
    expect(await textOf(client.callTool(params))).toContain('ada thinks')
    expect(asked).toEqual(['sampling 7'])
  })

  test('is asked for its own calls only, however many there are', async () => {
    const people = await Promise.all(['ada', 'grace', 'edith'].map((name) => connectModern(name)))
    const call = { name: `${connector}__trigger-elicitation-request`, arguments: {} }
    const texts = await Promise.all(
      people.flatMap(({ client }) => [client.callTool(call), client.callTool(call)].map(textOf)),
    )
    expect(texts.map((text) => /- Name: (\w+)/.exec(text)?.[1] ?? text)).toEqual([
      'ada',
      'ada',
      'grace',
      'grace',
      'edith',
      'edith',
    ])
    for (const { asked } of people) expect(asked).toHaveLength(2)
  })

  test('that cannot be asked is not offered what asks', async () => {
    const { client } = await connectModern('ada', {})
    const call = () => textOf(client.callTool({ name: `${connector}__trigger-elicitation-request`, arguments: {} }))
    // The one process of a server asks before it is known that it does.
    const first = connector === 'local' ? await call() : 'does not support'
    expect(first).toContain('does not support')
    expect(await call()).toMatch(/not found/)
  })
})

describe.each(['modern', 'modern-local'])('a legacy client of the modern server behind %s', (connector) => {
  test('is asked as legacy servers ask, and its call is sent again with the answer', async () => {
    const { client, asked } = await connectLegacy('ada')
    expect(await textOf(client.callTool({ name: `${connector}__ask`, arguments: {} }))).toBe('Hello ada, step 1.')
    expect(asked).toEqual(['Who are you?'])
  })

  test('is asked for its own call only when two call at once', async () => {
    const people = await Promise.all(['ada', 'grace'].map(connectLegacy))
    const texts = await Promise.all(
      people.map(({ client }) => textOf(client.callTool({ name: `${connector}__ask`, arguments: {} }))),
    )
    expect(texts).toEqual(['Hello ada, step 1.', 'Hello grace, step 1.'])
  })

  test('that cannot be asked makes the server say what it lacks', async () => {
    const client = await hub.connectV1()
    await expect(client.callTool({ name: `${connector}__ask`, arguments: {} })).rejects.toThrow(
      /elicitation|capabilit/i,
    )
  })

  test('that refuses gets its refusal as the error of the call', async () => {
    const { client } = await connectLegacy('ada')
    client.setRequestHandler(ElicitRequestSchema, () => {
      throw new Error('not now')
    })
    await expect(client.callTool({ name: `${connector}__ask`, arguments: {} })).rejects.toThrow(/not now/)
  })
})
