// Program of the framework bench: fastmcp.mjs stdio|http [PORT]; with OAUTH set, only tokens open it.
import { setTimeout as sleep } from 'node:timers/promises'
import { FastMCP } from 'fastmcp'
import { z } from 'zod'

const [transport, port] = process.argv.slice(2)
const suggest = (values) => async (value) => ({ values: values.filter((each) => each.startsWith(value)) })
let wasCancelled = false

const protectedResource = {
  resource: `http://127.0.0.1:${port}/mcp`,
  authorizationServers: ['https://issuer.example'],
}
const server = new FastMCP({
  name: 'feature',
  version: '1.0.0',
  ...(process.env.OAUTH ? { authenticate: async () => null, oauth: { enabled: true, protectedResource } } : {}),
})
server.addTool({
  name: 'add',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
})
server.addTool({
  name: 'wait',
  async execute(_, { signal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    wasCancelled = true
    return 'stopped'
  },
})
server.addTool({ name: 'cancelled', execute: async () => String(wasCancelled) })
server.addTool({
  name: 'steps',
  async execute(_, { reportProgress }) {
    await reportProgress({ progress: 1, total: 2 })
    await sleep(300)
    await reportProgress({ progress: 2, total: 2 })
    await sleep(300)
    return 'done'
  },
})
server.addTool({
  name: 'ask',
  async execute(_, { elicit }) {
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const answer = await elicit({ message: 'Who are you?', requestedSchema })
    return answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action
  },
})
server.addTool({
  name: 'measure',
  outputSchema: z.object({ sum: z.number() }),
  execute: async () => ({ sum: 3 }),
})
server.addTool({
  name: 'grow',
  async execute() {
    server.addTool({ name: 'grown', execute: async () => 'grown' })
    return 'done'
  },
})
server.addResourceTemplate({
  uriTemplate: 'greeting://{name}',
  name: 'greeting',
  arguments: [{ name: 'name', required: true, complete: suggest(['Ana', 'Bob']) }],
  load: async ({ name }) => ({ text: `Hello, ${name}!` }),
})
server.addPrompt({
  name: 'review',
  arguments: [{ name: 'language', required: true, complete: suggest(['python', 'perl', 'rust']) }],
  load: async ({ language }) => `Review this ${language}.`,
})
await server.start(
  transport === 'stdio'
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { port: Number(port), host: '127.0.0.1', endpoint: '/mcp' } },
)
