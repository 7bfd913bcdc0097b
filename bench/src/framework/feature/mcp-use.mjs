// Program of the framework bench: mcp-use.mjs http PORT; with OAUTH set, only tokens open it.
import { setTimeout as sleep } from 'node:timers/promises'
import { completable, MCPServer, oauthCustomProvider, object, text } from 'mcp-use/server'
import { z } from 'zod'

const [, port] = process.argv.slice(2)
let wasCancelled = false

const oauth = () =>
  oauthCustomProvider({
    issuer: 'https://issuer.example',
    authEndpoint: 'https://issuer.example/authorize',
    tokenEndpoint: 'https://issuer.example/token',
    verifyToken: () => Promise.reject(new Error('no token is good')),
  })
const server = new MCPServer({
  name: 'feature',
  version: '1.0.0',
  ...(process.env.OAUTH ? { oauth: oauth() } : {}),
})
server.tool({ name: 'add', schema: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) =>
  text(String(a + b)),
)
server.tool({ name: 'wait' }, async (_, context) => {
  // Its context has no signal of the call, only the one of the HTTP request.
  const signal = context.signal ?? context.req?.raw?.signal
  await new Promise((resolve) => signal?.addEventListener('abort', resolve))
  wasCancelled = true
  return text('stopped')
})
server.tool({ name: 'cancelled' }, async () => text(String(wasCancelled)))
server.tool({ name: 'steps' }, async (_, context) => {
  await context.reportProgress?.(1, 2)
  await sleep(300)
  await context.reportProgress?.(2, 2)
  await sleep(300)
  return text('done')
})
server.tool({ name: 'ask' }, async (_, context) => {
  const answer = await context.elicit('Who are you?', z.object({ name: z.string() }))
  return text(answer.action === 'accept' ? `Hello, ${answer.data.name}!` : answer.action)
})
server.tool({ name: 'measure', outputSchema: z.object({ sum: z.number() }) }, async () => object({ sum: 3 }))
server.tool({ name: 'grow' }, async () => {
  server.tool({ name: 'grown' }, async () => text('grown'))
  await server.sendToolsListChanged()
  return text('done')
})
server.resourceTemplate(
  { name: 'greeting', uriTemplate: 'greeting://{name}', callbacks: { complete: { name: ['Ana', 'Bob'] } } },
  async (_, { name }) => text(`Hello, ${name}!`),
)
server.prompt(
  { name: 'review', schema: z.object({ language: completable(z.string(), ['python', 'perl', 'rust']) }) },
  async ({ language }) => text(`Review this ${language}.`),
)
await server.listen(Number(port))
