// Program of the framework bench: sdk.mjs stdio|http-modern|http-legacy TOOLS [PORT]
// The modern leg is createMcpHandler as its guide mounts it; the legacy one is the guide's recipe for sessions.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
} from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [transport, tools, port] = process.argv.slice(2)
const inputSchema = z.object({ a: z.number(), b: z.number() })

function buildServer() {
  const server = new McpServer({ name: 'load', version: '1.0.0' })
  for (let index = 0; index < Number(tools); index++) {
    const name = index === 0 ? 'add' : `add${index}`
    server.registerTool(name, { description: 'Adds two numbers.', inputSchema }, ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    }))
  }
  return server
}

const sessions = new Map()

async function serveSession(request, response) {
  const id = request.headers['mcp-session-id']
  if (id !== undefined) {
    const known = sessions.get(id)
    if (known) await known.handleRequest(request, response)
    else response.writeHead(404).end()
    return
  }
  const session = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sessionId) => void sessions.set(sessionId, session),
  })
  session.onclose = () => sessions.delete(session.sessionId)
  await buildServer().connect(session)
  await session.handleRequest(request, response)
}

if (transport === 'stdio') {
  serveStdio(buildServer)
} else {
  const serve = transport === 'http-legacy' ? serveSession : toNodeHandler(createMcpHandler(buildServer))
  const validateHost = localhostHostValidation()
  const validateOrigin = localhostOriginValidation()
  createServer((request, response) => {
    if (!validateHost(request, response) || !validateOrigin(request, response)) return
    void serve(request, response)
  }).listen(Number(port), '127.0.0.1')
}
