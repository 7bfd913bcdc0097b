import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, waitFor, type TestHub } from './start-test-hub.ts'
import { WireClient } from './wire-client.ts'

const eras = ['legacy', 'modern'] as const
type Era = (typeof eras)[number]

const serverInfo = { name: 'large', version: '1.0.0' }
const modernMeta = `"io.modelcontextprotocol/serverInfo":${JSON.stringify(serverInfo)}`
const text = 'größe "error" \\ "input_required" 😀 '.repeat(5000)
const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`

/** What comes back for a call of each tool, behind the id. */
const answers: Record<string, (era: Era) => string> = {
  plain: (era) => `"result":{${complete(era)}${content}}`,
  told: (era) => `"result":{${complete(era)}${content}${era === 'modern' ? `,"_meta":{${modernMeta}}` : ''}}`,
  failed: (era) => `"result":{${complete(era)}${content},"isError":true}`,
  refused: () => `"error":{"code":-32099,"message":"no","data":${JSON.stringify(text)}}`,
}
const complete = (era: Era) => (era === 'modern' ? '"resultType":"complete",' : '')

/** Answers with a length, in pieces, as servers do that have the whole answer. */
async function startLargeServer(era: Era) {
  const tools = Object.keys(answers).map((name) => ({ name, inputSchema: { type: 'object' } }))
  const facts: Record<string, string> = {
    initialize: `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":${JSON.stringify(serverInfo)}}`,
    'server/discover': `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{${modernMeta}}}`,
    'tools/list': `"result":{${era === 'modern' ? '"resultType":"complete","ttlMs":0,"cacheScope":"private",' : ''}"tools":${JSON.stringify(tools)}}`,
  }
  const isOther = (method: string) => (era === 'modern' ? method === 'initialize' : method === 'server/discover')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      if (id === undefined) return void response.writeHead(202).end()
      const unknown = '"error":{"code":-32601,"message":"Method not found"}'
      const said = method === 'tools/call' ? answers[params.name]!(era) : (facts[method] ?? unknown)
      const body = Buffer.from(`{"jsonrpc":"2.0","id":${id},${isOther(method) ? unknown : said}}`)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      void (async () => {
        for (let from = 0; from < body.length; from += 50_001) {
          response.write(body.subarray(from, from + 50_001))
          await turn()
        }
        response.end()
      })()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

let hub: TestHub
const servers: { close(): Promise<void> }[] = []

beforeAll(async () => {
  const connectors = []
  for (const era of eras) {
    const server = await startLargeServer(era)
    servers.push(server)
    connectors.push({ name: era, transport: 'stream' as const, baseUrl: server.url })
  }
  hub = await startTestHub({ connectors })
})

afterAll(async () => {
  await hub?.stop()
  for (const server of servers) await server.close()
})

async function call(client: Era, name: string) {
  if (client === 'modern') return new WireClient(hub.endpoint).requestModern('tools/call', { name, arguments: {} })
  return (await WireClient.connect(hub.endpoint)).request('tools/call', { name, arguments: {} })
}

describe.each(eras.flatMap((client) => eras.map((server) => ({ client, server }))))(
  'a large answer of a $server server to a $client client',
  ({ client, server }) => {
    test('comes whole, with what its era knows and nothing else', async () => {
      for (const tool of ['plain', 'told']) {
        const { message } = await call(client, `${server}__${tool}`)
        const { _meta: meta, ...result } = message!.result!
        expect(result).toEqual({
          ...(client === 'modern' && { resultType: 'complete' }),
          content: [{ type: 'text', text }],
        })
        expect(client === 'legacy' ? meta : undefined).toBeUndefined()
      }
    })

    test('that says at its end that the tool failed is recorded so', async () => {
      const { message } = await call(client, `${server}__failed`)
      expect(message!.result).toMatchObject({ isError: true })
      const target = `${server}__failed`
      const found = await waitFor(async () => {
        const { body } = await hub.api('GET', `/api/events?kind=call.finished&target=${target}&limit=10`)
        const { events } = body as { events: { outcome: string; era: string }[] }
        return events.find(({ era }) => era === client)
      })
      expect(found.outcome).toBe('tool-error')
    })

    test('that is an error stays one', async () => {
      const { message } = await call(client, `${server}__refused`)
      expect(message!.error).toMatchObject({ code: -32099, message: 'no', data: text })
    })
  },
)
