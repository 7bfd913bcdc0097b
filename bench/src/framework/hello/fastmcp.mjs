import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'hello', version: '1.0.0' })
server.addTool({
  name: 'add',
  description: 'Adds.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
})
server.addResourceTemplate({
  uriTemplate: 'greeting://{name}',
  name: 'greeting',
  arguments: [{ name: 'name', required: true }],
  load: async ({ name }) => ({ text: `Hello, ${name}!` }),
})
server.addPrompt({
  name: 'review',
  arguments: [{ name: 'code', required: true }],
  load: async ({ code }) => `Review:\n${code}`,
})
await server.start({ transportType: 'stdio' })
