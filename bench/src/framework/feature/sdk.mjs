// Program of the framework bench: sdk.mjs stdio|http [PORT]; with OAUTH set, only tokens open it.
// What createMcpHandler leaves out for legacy clients is here as the SDK's guides write it: a map of sessions, an event
// store, and the frozen HTTP+SSE transport.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  localhostHostValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node'
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  isLegacyRequest,
  McpServer,
  oauthMetadataResponse,
  requireBearerAuth,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse'
import { z } from 'zod'

const [transport, port] = process.argv.slice(2)
const text = (value) => ({ content: [{ type: 'text', text: value }] })
const startsWith = (values) => (value) => values.filter((each) => each.startsWith(value))
let wasCancelled = false
let hasGrown = false
let announceTools = () => {}

function buildServer() {
  const server = new McpServer({ name: 'feature', version: '1.0.0' })
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    text(String(a + b)),
  )
  server.registerTool('wait', {}, async (context) => {
    await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve))
    wasCancelled = true
    return text('stopped')
  })
  server.registerTool('cancelled', {}, () => text(String(wasCancelled)))
  server.registerTool('steps', {}, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken
    const report = (progress) =>
      context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } })
    await report(1)
    await sleep(300)
    await report(2)
    await sleep(300)
    return text('done')
  })
  server.registerTool('ask', {}, (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, 'name', z.object({ name: z.string() }))
    if (answer) return text(`Hello, ${answer.name}!`)
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema }) },
    })
  })
  server.registerTool('measure', { outputSchema: z.object({ sum: z.number() }) }, () => ({
    ...text('{"sum":3}'),
    structuredContent: { sum: 3 },
  }))
  server.registerTool('grow', {}, () => {
    hasGrown = true
    if (transport === 'stdio') server.registerTool('grown', {}, () => text('grown'))
    announceTools()
    return text('done')
  })
  if (hasGrown) server.registerTool('grown', {}, () => text('grown'))
  server.registerResource(
    'greeting',
    new ResourceTemplate('greeting://{name}', { list: undefined, complete: { name: startsWith(['Ana', 'Bob']) } }),
    {},
    (uri, { name }) => ({ contents: [{ uri: uri.href, text: `Hello, ${String(name)}!` }] }),
  )
  const argsSchema = z.object({ language: completable(z.string(), startsWith(['python', 'perl', 'rust'])) })
  server.registerPrompt('review', { argsSchema }, ({ language }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review this ${language}.` } }],
  }))
  return server
}

/** The event store that a resumable stream needs; the SDK has the interface but none in its packages. */
class MemoryEvents {
  #events = []

  async storeEvent(streamId, message) {
    const id = `${streamId}_${this.#events.length}`
    this.#events.push({ id, streamId, message })
    return id
  }

  async replayEventsAfter(lastId, { send }) {
    const at = this.#events.findIndex(({ id }) => id === lastId)
    const streamId = this.#events[at]?.streamId ?? ''
    for (const event of this.#events.slice(at + 1)) {
      if (event.streamId === streamId) await send(event.id, event.message)
    }
    return streamId
  }
}

const sessions = new Map()

async function serveSession(request, response, body) {
  const id = request.headers['mcp-session-id']
  if (id !== undefined) {
    const known = sessions.get(id)
    if (known) await known.transport.handleRequest(request, response, body)
    else response.writeHead(404).end()
    return
  }
  const server = buildServer()
  const session = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    eventStore: new MemoryEvents(),
    onsessioninitialized: (sessionId) => void sessions.set(sessionId, { server, transport: session }),
  })
  session.onclose = () => sessions.delete(session.sessionId)
  await server.connect(session)
  await session.handleRequest(request, response, body)
}

const streams = new Map()

async function serveEventStream(response) {
  const stream = new SSEServerTransport('/messages', response)
  streams.set(stream.sessionId, stream)
  stream.onclose = () => streams.delete(stream.sessionId)
  await buildServer().connect(stream)
}

async function readBody(request) {
  const chunks = await request.toArray()
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}

function serveHttp() {
  const modern = createMcpHandler(buildServer, { legacy: 'reject' })
  announceTools = () => {
    modern.notify.toolsChanged()
    for (const { server } of sessions.values()) server.sendToolListChanged()
  }
  const serveModern = toNodeHandler(modern)
  const resourceServerUrl = new URL(`http://127.0.0.1:${port}/mcp`)
  const oauthMetadata = {
    issuer: 'https://issuer.example',
    authorization_endpoint: 'https://issuer.example/authorize',
    token_endpoint: 'https://issuer.example/token',
    response_types_supported: ['code'],
  }
  const gate = requireBearerAuth({
    verifier: { verifyAccessToken: () => Promise.reject(new Error('no token is good')) },
    resourceMetadataUrl: `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`,
  })
  const validateHost = localhostHostValidation()
  const serve = async (request, response) => {
    if (!validateHost(request, response)) return
    const url = new URL(request.url, resourceServerUrl)
    const body = await readBody(request)
    if (url.pathname === '/sse') return serveEventStream(response)
    if (url.pathname === '/messages') {
      return streams.get(url.searchParams.get('sessionId'))?.handlePostMessage(request, response, body)
    }
    const asked = await toWebRequest(request, body)
    if (process.env.OAUTH) {
      const answer = oauthMetadataResponse(asked, { oauthMetadata, resourceServerUrl }) ?? (await gate(asked))
      if (answer instanceof Response) {
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
        return
      }
    }
    if (await isLegacyRequest(asked)) await serveSession(request, response, body)
    else await serveModern(request, response, body)
  }
  createServer((request, response) => void serve(request, response)).listen(Number(port), '127.0.0.1')
}

if (transport === 'stdio') serveStdio(buildServer)
else serveHttp()
