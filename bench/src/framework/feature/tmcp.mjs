// Program of the framework bench: tmcp.mjs stdio|http [PORT]
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRequestListener } from '@remix-run/node-fetch-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { SseTransport } from '@tmcp/transport-sse'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { complete, prompt, resource, tool } from 'tmcp/utils'
import { z } from 'zod'

const [transport, port] = process.argv.slice(2)
const suggest = (values) => (value) => complete.values(values.filter((each) => each.startsWith(value)))
let wasCancelled = false

const server = new McpServer(
  { name: 'feature', version: '1.0.0' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true },
      prompts: { listChanged: true },
      completions: {},
    },
  },
)
const description = 'A tool of the bench.'
server.tool({ name: 'add', description, schema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
  tool.text(String(a + b)),
)
server.tool({ name: 'wait', description }, async () => {
  const { signal } = server.ctx
  await new Promise((resolve) => signal?.addEventListener('abort', resolve))
  wasCancelled = true
  return tool.text('stopped')
})
server.tool({ name: 'cancelled', description }, () => tool.text(String(wasCancelled)))
server.tool({ name: 'steps', description }, async () => {
  server.progress(1, 2)
  await sleep(300)
  server.progress(2, 2)
  await sleep(300)
  return tool.text('done')
})
server.tool({ name: 'ask', description, replayable: true }, async () => {
  const answer = await server.elicitation('Who are you?', z.object({ name: z.string() }))
  return tool.text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action)
})
server.tool({ name: 'measure', description, outputSchema: z.object({ sum: z.number() }) }, () =>
  tool.structured({ sum: 3 }),
)
server.tool({ name: 'grow', description }, () => {
  server.tool({ name: 'grown', description }, () => tool.text('grown'))
  return tool.text('done')
})
server.template(
  { name: 'greeting', description, uri: 'greeting://{name}', complete: { name: suggest(['Ana', 'Bob']) } },
  (uri, { name }) => resource.text(uri, `Hello, ${name}!`),
)
server.prompt(
  {
    name: 'review',
    description,
    schema: z.object({ language: z.string() }),
    complete: { language: suggest(['python', 'perl', 'rust']) },
  },
  ({ language }) => prompt.message(`Review this ${language}.`),
)

if (transport === 'stdio') {
  new StdioTransport(server).listen()
} else {
  const http = new HttpTransport(server, { path: '/mcp' })
  const sse = new SseTransport(server, { path: '/sse', endpoint: '/messages' })
  const listener = createRequestListener(
    async (request) =>
      (await http.respond(request)) ?? (await sse.respond(request)) ?? new Response(null, { status: 404 }),
  )
  createServer(listener).listen(Number(port), '127.0.0.1')
}
