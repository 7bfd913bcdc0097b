import type { ConnectorInput } from '@herma/contract'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modernStdioConnector } from '../fixtures/modern-stdio-connector.ts'
import { createScratch, scriptedConnector, type Scratch } from '../fixtures/scripted-connector.ts'
import { startHttpServer, type HttpFixture } from '../fixtures/start-http-server.ts'
import { startPlainServer, type PlainServer } from '../fixtures/start-plain-server.ts'
import { clientKinds, connectThrough } from './mcp-client.ts'
import { startEverything, type EverythingServer } from './start-everything.ts'
import { startTestHub, type TestHub } from './start-test-hub.ts'

let hub: TestHub
let scratch: Scratch
let plain: PlainServer
let sse: EverythingServer
let legacy: HttpFixture
let modern: HttpFixture

beforeAll(async () => {
  scratch = await createScratch()
  plain = await startPlainServer()
  legacy = await startHttpServer({ era: 'legacy' })
  modern = await startHttpServer({ era: 'modern' })
  sse = await startEverything('sse')
  hub = await startTestHub()
  const connectors: ConnectorInput[] = [
    scriptedConnector('stdio-legacy', scratch.file('journal')),
    modernStdioConnector('stdio-modern'),
    { name: 'stream-legacy', transport: 'stream', baseUrl: legacy.url },
    { name: 'stream-modern', transport: 'stream', baseUrl: modern.url },
    { name: 'sse', transport: 'sse', baseUrl: sse.origin, endpointPath: '/sse' },
    {
      name: 'http',
      transport: 'http',
      baseUrl: plain.origin,
      endpointPath: 'rpc',
      headers: [
        { name: 'Authorization', value: 'Bearer open-sesame' },
        { name: 'X-Server', value: '{server_id}' },
      ],
    },
  ]
  await Promise.all(connectors.map((connector) => hub.add(connector)))
})

afterAll(async () => {
  await hub?.stop()
  await Promise.all([plain, sse, legacy, modern, scratch].map((part) => part?.[Symbol.asyncDispose]()))
})

const cells = [
  { name: 'stdio-legacy', era: 'legacy', revision: '2025-11-25' },
  { name: 'stdio-modern', era: 'modern', revision: '2026-07-28' },
  { name: 'stream-legacy', era: 'legacy', revision: '2025-11-25' },
  { name: 'stream-modern', era: 'modern', revision: '2026-07-28' },
  { name: 'sse', era: 'legacy', revision: '2025-11-25' },
  { name: 'http', era: 'legacy', revision: '2025-03-26' },
]

describe.each(cells)('a server behind $name', ({ name, era, revision }) => {
  test('is found to speak its own era and revision', async () => {
    expect(await hub.health(name)).toMatchObject({ state: 'ready', era, revision })
  })

  test.each(clientKinds)('is listed and called by a %s client', async (kind) => {
    const client = await connectThrough(hub, kind)
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toContain(`${name}__echo`)
    const result = await client.callTool({ name: `${name}__echo`, arguments: { text: 'hello', message: 'hello' } })
    expect(result['content']).toEqual([{ type: 'text', text: name === 'sse' ? 'Echo: hello' : 'hello' }])
  })

  test('answers many calls at once, each with its own answer', async () => {
    const client = await hub.connectV1()
    const texts = Array.from({ length: 40 }, (_, index) => `call ${index}`)
    const answers = await Promise.all(
      texts.map(async (text) => {
        const { content } = await client.callTool({ name: `${name}__echo`, arguments: { text, message: text } })
        return (content as { text: string }[])[0]!.text.replace('Echo: ', '')
      }),
    )
    expect(answers).toEqual(texts)
  })
})

test('a plain HTTP server is asked for JSON only, at its path, with the headers of its connector', () => {
  const posts = plain.requests.filter(({ method }) => method === 'POST')
  expect(plain.requests).toEqual(posts)
  for (const { path, headers } of posts) {
    expect(path).toBe('/rpc')
    expect(headers).toMatchObject({
      accept: 'application/json',
      authorization: 'Bearer open-sesame',
      'x-server': 'facade',
    })
  }
  expect(posts.at(-1)?.headers['mcp-protocol-version']).toBe('2025-03-26')
})

test('an HTTP+SSE server can ask the client that called', async () => {
  const client = await hub.connectV1({ elicitation: { form: {} } })
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'ada' } }))
  const { content } = await client.callTool({ name: 'sse__trigger-elicitation-request', arguments: {} })
  expect(JSON.stringify(content)).toContain('- Name: ada')
})

test('an HTTP+SSE server that was away is used again by the next call', async () => {
  const before = await startEverything('sse')
  await hub.add({ name: 'sse-restarted', transport: 'sse', baseUrl: `${before.origin}/sse` })
  const client = await hub.connectV1()
  const echo = { name: 'sse-restarted__echo', arguments: { message: 'again' } }
  await client.callTool(echo)
  await before[Symbol.asyncDispose]()
  await expect(client.callTool(echo)).rejects.toThrow("'sse-restarted'")
  await using _after = await startEverything('sse', Number(new URL(before.origin).port))
  expect((await client.callTool(echo)).content).toEqual([{ type: 'text', text: 'Echo: again' }])
})
