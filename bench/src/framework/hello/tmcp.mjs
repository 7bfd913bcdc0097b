import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { prompt, resource, tool } from 'tmcp/utils'
import { z } from 'zod'

const server = new McpServer(
  { name: 'hello', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, resources: {}, prompts: {} } },
)
server.tool({ name: 'add', description: 'Adds.', schema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
  tool.text(String(a + b)),
)
server.template({ name: 'greeting', description: 'Greets.', uri: 'greeting://{name}' }, (uri, { name }) =>
  resource.text(uri, `Hello, ${name}!`),
)
server.prompt({ name: 'review', description: 'Reviews.', schema: z.object({ code: z.string() }) }, ({ code }) =>
  prompt.message(`Review:\n${code}`),
)
new StdioTransport(server).listen()
