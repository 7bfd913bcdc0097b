import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isObject, metaKeys, metaOf, type Json, type WireMessage } from '../wire-message.ts'
import { listen, openEvents, readJson, refuse, sendEvent, sendJson, type RunningServer } from './http-messages.ts'
import { ModernServer } from './modern-server.ts'
import type { World } from './world.ts'

const streamed: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read', 'subscriptions/listen'])
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** Streamable HTTP of 2026-07-28: every request is a POST of its own. */
export function serveModernHttp(world: World): Promise<RunningServer> {
  const server = new ModernServer(world)
  return listen('/mcp', (request, response) => {
    void handle(request, response).catch((error: unknown) => refuse(response, 500, -32603, String(error)))
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    const value = await readJson(request)
    if (!isObject(value)) return refuse(response, 400, value === undefined ? -32700 : -32600, 'Not one message.')
    const message = value as unknown as WireMessage
    if (message.method === undefined) return refuse(response, 400, -32600, 'A client sends no responses.')
    if (message.id === undefined) return void response.writeHead(202).end()
    const mismatch = message.method === 'initialize' ? null : headerMismatch(message, request.headers)
    if (mismatch !== null) {
      return sendJson(response, 400, { jsonrpc: '2.0', id: message.id, error: { code: -32020, message: mismatch } })
    }
    await answer(message, response)
  }

  async function answer(message: WireMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    if (streamed.has(message.method)) {
      // A stream opens with its first event, so that an early refusal still has its status.
      const send = (event: WireMessage | readonly WireMessage[]) => {
        if (!response.headersSent) openEvents(response)
        sendEvent(response, event)
      }
      const answered = await server.answer(message, { send }, gone.signal)
      if (answered === null) return
      if (!response.headersSent && answered.error !== undefined) return sendError(response, answered)
      send(answered)
      return void response.end()
    }
    const answered = await server.answer(message, { send: () => {} }, gone.signal)
    if (answered === null) return
    if (answered.error !== undefined) return sendError(response, answered)
    sendJson(response, 200, answered)
  }
}

function sendError(response: ServerResponse, message: WireMessage): void {
  const { code } = message.error!
  const status = code === -32601 ? 404 : code <= -32020 && code >= -32022 ? 400 : code === -32602 ? 400 : 200
  sendJson(response, status, message)
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation */
function headerMismatch({ method = '', params = {} }: WireMessage, headers: IncomingHttpHeaders): string | null {
  const revision = metaOf(params)[metaKeys.revision]
  if (revision !== undefined && headers['mcp-protocol-version'] !== revision) return 'MCP-Protocol-Version'
  if (headers['mcp-method'] !== method) return 'Mcp-Method'
  const field = namedBy.get(method)
  if (field !== undefined && decode(headers['mcp-name']) !== params[field]) return 'Mcp-Name'
  if (method === 'tools/call' && params['name'] === 'region') {
    const region = (params['arguments'] as Json | undefined)?.['region']
    if (decode(headers['mcp-param-region']) !== region) return 'Mcp-Param-Region'
  }
  return null
}

function decode(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)
  return encoded === null ? value : Buffer.from(encoded[1]!, 'base64').toString('utf8')
}
