import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { batchRevision, knows } from '../revision.ts'
import { isObject, type WireMessage } from '../wire-message.ts'
import { listen, openEvents, readJson, refuse, sendEvent, sendJson, type RunningServer } from './http-messages.ts'
import { LegacySession, type ResponseSink } from './legacy-session.ts'
import type { World } from './world.ts'

const maxWaiting = 100
/** Requests whose answer may be preceded by something else; the others are answered in plain JSON. */
const streamed: ReadonlySet<unknown> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** Streamable HTTP with sessions, as from 2025-03-26 to 2025-11-25. */
export function serveLegacyHttp(world: World): Promise<RunningServer> {
  const sessions = new Map<string, HttpSession>()
  return listen('/mcp', (request, response) => {
    void handle(request, response).catch((error: unknown) => refuse(response, 500, -32603, String(error)))
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const value = request.method === 'POST' ? await readJson(request) : undefined
    if (isObject(value) && value['method'] === 'initialize') return initialize(value, response)
    const session = sessions.get(String(id))
    // A probe of the modern era has no session; 400 tells its sender to try initialize.
    if (id === undefined) return refuse(response, 400, -32000, 'Send initialize first.')
    if (session === undefined) return refuse(response, 404, -32001, 'There is no such session.')
    const revision = request.headers['mcp-protocol-version']
    if (knows(world.revision, 'revisionHeader') && revision !== world.revision) {
      return refuse(response, 400, -32000, `MCP-Protocol-Version must be ${world.revision}, not ${String(revision)}.`)
    }
    if (request.method === 'GET') return session.attach(response)
    if (request.method === 'DELETE') {
      sessions.delete(String(id))
      session.close()
      return void response.writeHead(200).end()
    }
    if (value === undefined) return refuse(response, 400, -32700, 'Not JSON.')
    await session.post(value, response)
  }

  async function initialize(message: unknown, response: ServerResponse): Promise<void> {
    const id = randomUUID()
    const session = new HttpSession(world)
    sessions.set(id, session)
    const sink: ResponseSink = { send: (answer) => sendJson(response, 200, answer, { 'mcp-session-id': id }) }
    await session.legacy.receive(message, sink)
  }
}

class HttpSession {
  readonly legacy: LegacySession
  readonly #world: World
  #listening: ServerResponse | null = null
  readonly #waiting: (WireMessage | readonly WireMessage[])[] = []

  constructor(world: World) {
    this.#world = world
    this.legacy = new LegacySession(world, { send: (message) => this.#sendAlone(message) })
  }

  async post(value: unknown, response: ServerResponse): Promise<void> {
    const messages = (Array.isArray(value) ? value : [value]) as WireMessage[]
    if (Array.isArray(value) && this.#world.revision !== batchRevision) {
      return refuse(response, 400, -32600, `${this.#world.revision} has no batches.`)
    }
    if (!messages.some(({ id, method }) => id !== undefined && method !== undefined)) {
      void this.legacy.receive(value, { send: () => {} })
      return void response.writeHead(202).end()
    }
    if (!messages.some(({ method }) => streamed.has(method))) {
      await this.legacy.receive(value, { send: (message) => sendJson(response, 200, message) })
      return
    }
    openEvents(response)
    await this.legacy.receive(value, { send: (message) => sendEvent(response, message) })
    response.end()
  }

  attach(response: ServerResponse): void {
    openEvents(response)
    this.#listening = response
    response.on('close', () => {
      if (this.#listening === response) this.#listening = null
    })
    for (const message of this.#waiting.splice(0)) sendEvent(response, message)
  }

  close(): void {
    this.legacy.close()
    this.#listening?.end()
  }

  #sendAlone(message: WireMessage | readonly WireMessage[]): void {
    if (this.#listening !== null) return sendEvent(this.#listening, message)
    if (this.#waiting.length < maxWaiting) this.#waiting.push(message)
  }
}
