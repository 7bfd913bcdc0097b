// A gateway made of the official SDK's parts as a process: sdk-gateway.js PORT CONNECTORS-AS-JSON
// It is written as the SDK's documentation suggests, with one kindness: the merged list is made once.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
  type Tool,
} from '@modelcontextprotocol/server'
import type { Fleet } from './target.ts'

const [port, connectors] = process.argv.slice(2)
const INFO = { name: 'sdk-gateway', version: '1.0.0' }
const clients = new Map<string, Client>()
const tools: Tool[] = []

for (const { name, endpoint } of JSON.parse(connectors as string) as Fleet['connectors']) {
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } })
  const transport =
    endpoint.kind === 'http'
      ? new StreamableHTTPClientTransport(new URL(endpoint.url))
      : new StdioClientTransport(endpoint)
  await client.connect(transport)
  clients.set(name, client)
  const listed = await client.listTools()
  tools.push(...listed.tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` })))
}

function makeServer(): Server {
  const server = new Server(INFO, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', async (request) => {
    const [connector = '', tool = ''] = request.params.name.split('__')
    const client = clients.get(connector)
    if (!client) throw new Error(`Unknown tool: ${request.params.name}`)
    return client.callTool({ name: tool, arguments: request.params.arguments })
  })
  return server
}

const modern = createMcpHandler(makeServer, { legacy: 'reject' })
const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()

async function handleRequest(request: Request): Promise<Response> {
  if (!(await isLegacyRequest(request))) return modern.fetch(request)
  const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
  if (known) return known.handleRequest(request)
  const body: unknown = request.method === 'POST' ? await request.clone().json() : undefined
  if (!isInitializeRequest(body)) return new Response('Session not found', { status: 404 })
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, transport)
    },
  })
  transport.onclose = () => sessions.delete(transport.sessionId ?? '')
  await makeServer().connect(transport)
  return transport.handleRequest(request)
}

const handle = toNodeHandler({ fetch: handleRequest })
createServer((request, response) => void handle(request, response)).listen(Number(port), '127.0.0.1')
