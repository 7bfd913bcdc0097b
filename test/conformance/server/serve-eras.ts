import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { createEventLog } from './event-log.ts'

export type ServedEras = 'both' | 'legacy' | 'modern'

const maxConnections = 256
const retryIntervalMs = 100

/** One URL for both eras: modern requests are stateless, legacy connections have an id and can be resumed. */
export function serveEras(factory: McpServerFactory, { era, bus }: { era: ServedEras; bus?: ServerEventBus }) {
  const modern = createMcpHandler(factory, { legacy: 'reject', bus })
  const legacy = serveLegacy(factory)
  return {
    async fetch(request: Request): Promise<Response> {
      const isLegacy = era === 'both' ? await isLegacyRequest(request) : era === 'legacy'
      return isLegacy ? legacy.fetch(request) : modern.fetch(request)
    },
    async close() {
      await Promise.all([modern.close(), legacy.close()])
    },
  }
}

function serveLegacy(factory: McpServerFactory) {
  const connections = new Map<string, WebStandardStreamableHTTPServerTransport>()

  async function open(request: Request, parsedBody: unknown): Promise<Response> {
    await makeRoom()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventLog(),
      retryInterval: retryIntervalMs,
      onsessioninitialized: (id) => void connections.set(id, transport),
      onsessionclosed: (id) => void connections.delete(id),
    })
    const server = await factory({ era: 'legacy', requestInfo: request })
    await server.connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }

  /** Clients may leave without DELETE; the oldest connection goes when there are too many. */
  async function makeRoom(): Promise<void> {
    const [oldest] = connections
    if (!oldest || connections.size < maxConnections) return
    const [id, transport] = oldest
    connections.delete(id)
    await transport.close()
  }

  return {
    async fetch(request: Request): Promise<Response> {
      const parsedBody = request.method === 'POST' ? await readLegacyBody(request) : undefined
      const id = request.headers.get('mcp-session-id')
      if (id) {
        const answer = await connections.get(id)?.handleRequest(request, { parsedBody })
        return answer ?? refuse(404, -32_001, 'Session not found.')
      }
      if (request.method !== 'POST') return refuse(400, -32_000, 'Mcp-Session-Id is required.')
      return isInitializeRequest(parsedBody)
        ? open(request, parsedBody)
        : refuse(400, -32_000, 'Mcp-Session-Id is required; initialize first.')
    },
    async close() {
      await Promise.all([...connections.values()].map((transport) => transport.close()))
    },
  }
}

/** A legacy server knows nothing of answers that come before it asks; the SDK would take them in this era as well. */
async function readLegacyBody(request: Request): Promise<unknown> {
  try {
    const body: unknown = await request.clone().json()
    for (const message of [body].flat()) {
      if (!hasParams(message)) continue
      delete message.params['inputResponses']
      delete message.params['requestState']
    }
    return body
  } catch {
    // Not JSON: the transport says so when it reads the body itself.
    return undefined
  }
}

function hasParams(message: unknown): message is { params: Record<string, unknown> } {
  return typeof (message as { params?: unknown } | null)?.params === 'object'
}

function refuse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}
