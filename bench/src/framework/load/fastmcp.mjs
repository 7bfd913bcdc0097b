// Program of the framework bench: fastmcp.mjs stdio|http-legacy TOOLS [PORT]
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const [transport, tools, port] = process.argv.slice(2)
const parameters = z.object({ a: z.number(), b: z.number() })
const server = new FastMCP({ name: 'load', version: '1.0.0' })
for (let index = 0; index < Number(tools); index++) {
  const name = index === 0 ? 'add' : `add${index}`
  server.addTool({ name, description: 'Adds two numbers.', parameters, execute: async ({ a, b }) => String(a + b) })
}
await server.start(
  transport === 'stdio'
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1', endpoint: '/mcp' } },
)
