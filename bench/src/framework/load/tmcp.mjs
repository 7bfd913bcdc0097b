// Program of the framework bench: tmcp.mjs stdio|http-modern|http-legacy TOOLS [PORT]
import { createServer } from 'node:http'
import { createRequestListener } from '@remix-run/node-fetch-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { tool } from 'tmcp/utils'
import { z } from 'zod'

const [transport, tools, port] = process.argv.slice(2)
const schema = z.object({ a: z.number(), b: z.number() })
const server = new McpServer(
  { name: 'load', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
)
for (let index = 0; index < Number(tools); index++) {
  const name = index === 0 ? 'add' : `add${index}`
  server.tool({ name, description: 'Adds two numbers.', schema }, ({ a, b }) => tool.text(String(a + b)))
}
if (transport === 'stdio') {
  new StdioTransport(server).listen()
} else {
  const http = new HttpTransport(server, { path: '/mcp' })
  const listener = createRequestListener(
    async (request) => (await http.respond(request)) ?? new Response(null, { status: 404 }),
  )
  createServer(listener).listen(Number(port), '127.0.0.1')
}
