import { MCPServer, text } from 'mcp-use/server'
import { z } from 'zod'

const server = new MCPServer({ name: 'hello', version: '1.0.0' })
server.tool(
  { name: 'add', description: 'Adds.', schema: z.object({ a: z.number(), b: z.number() }) },
  async ({ a, b }) => text(String(a + b)),
)
server.resourceTemplate(
  { name: 'greeting', uriTemplate: 'greeting://{name}', description: 'Greets.' },
  async (uri, { name }) => text(`Hello, ${name}!`),
)
server.prompt({ name: 'review', schema: z.object({ code: z.string() }) }, async ({ code }) => text(`Review:\n${code}`))
await server.listen(Number(process.env.PORT))
