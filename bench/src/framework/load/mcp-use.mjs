// Program of the framework bench: mcp-use.mjs http-legacy TOOLS PORT
import { MCPServer, text } from 'mcp-use/server'
import { z } from 'zod'

const [, tools, port] = process.argv.slice(2)
const schema = z.object({ a: z.number(), b: z.number() })
const server = new MCPServer({ name: 'load', version: '1.0.0' })
for (let index = 0; index < Number(tools); index++) {
  const name = index === 0 ? 'add' : `add${index}`
  server.tool({ name, description: 'Adds two numbers.', schema }, async ({ a, b }) => text(String(a + b)))
}
await server.listen(Number(port))
