import { HubError } from '@herma/contract'
import {
  encodeHeaderValue,
  idTextOf,
  isLegacyRevision,
  isRequest,
  legacyRevisions,
  metaKeys,
  metaOf,
  namedParams,
  parseJson,
  pathOfServer,
  toMessage,
  type Caller,
  type RequestMessage,
} from '../../wire/index.ts'
import type { RequestReceiver } from '../call/request-receiver.ts'
import type { NodeRequest, ServerRequest } from './mcp-endpoint.ts'
import { toModernCaller, validateModern } from '../call/modern-request.ts'
import { readRequestBody } from './read-body.ts'
import { refuse } from './refuse.ts'
import { requireAcceptJson, requireJson } from './request-headers.ts'
import { RpcSink } from './sink/rpc-sink.ts'

interface RpcEndpointOptions {
  readonly receiver: RequestReceiver
  readonly maxBodyBytes: number
}

const onlyPost = { status: 405, headers: ['Allow', 'POST, OPTIONS'] }
/** What goes on after its answer needs somebody who listens. */
const needConnection: ReadonlySet<string> = new Set([
  'subscriptions/listen',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
])

/**
 * Plain JSON-RPC for scripts: one object in, one object out. There is neither a connection nor a handshake, so a server
 * cannot ask such a client anything, unless the request is one of 2026-07-28 and says that it can be asked.
 */
export class RpcEndpoint {
  readonly #options: RpcEndpointOptions

  constructor(options: RpcEndpointOptions) {
    this.#options = options
  }

  handle(visit: NodeRequest): void {
    const { request, response } = visit
    try {
      if (request.method !== 'POST') {
        request.resume()
        return refuse(response, new HubError('INVALID_REQUEST', 'Use POST with one JSON-RPC request.'), onlyPost)
      }
      requireJson(request.headers)
      requireAcceptJson(request.headers)
    } catch (error) {
      request.resume()
      return refuse(response, error)
    }
    readRequestBody(request, { limit: this.#options.maxBodyBytes, buffers: visit.buffers }, (error, body) => {
      if (error !== null) return refuse(response, error)
      try {
        this.#receive(parseJson(body), visit, body.length)
      } catch (problem) {
        refuse(response, problem)
      }
    })
  }

  #receive(value: unknown, visit: NodeRequest, bytes: number): void {
    const { request, response, server, principal, isLocal } = visit
    if (Array.isArray(value))
      throw new HubError('INVALID_REQUEST', 'Not a JSON-RPC 2.0 message: a batch is not taken here. Send one by one.')
    const message = toMessage(value)
    if (!('method' in message))
      throw new HubError('INVALID_REQUEST', 'A client sends requests and notifications, not responses.')
    if (!isRequest(message)) return void response.writeHead(202, ['Content-Length', '0']).end()
    try {
      const claimed = metaOf(message.params)?.[metaKeys.revision]
      const isModern = claimed !== undefined && !isLegacyRevision(claimed)
      if (!isModern && message.method === 'initialize') return void this.#initialize(message, visit)
      if (needConnection.has(message.method)) {
        const path = pathOfServer(server, 'stream')
        throw new HubError('METHOD_NOT_FOUND', `${message.method} needs a connection. Use ${path} for it.`)
      }
      const headers = isModern ? { ...request.headers, ...mirror(message) } : request.headers
      if (isModern) validateModern(message, headers)
      // An answer may take as long as a person or a model does, and a silent socket would be taken for a dead one.
      response.setTimeout(0)
      this.#options.receiver.run({
        message,
        caller: isModern ? toModernCaller(message, visit) : plainCaller(visit),
        principal,
        connection: null,
        headers,
        transport: 'rpc',
        bytes,
        isLocal,
        sink: new RpcSink(message, null, visit),
      })
    } catch (error) {
      refuse(response, error, { to: message })
    }
  }

  async #initialize(message: RequestMessage, visit: ServerRequest): Promise<void> {
    const { response } = visit
    try {
      const result = await this.#options.receiver.introduce(message, visit)
      const body = `{"jsonrpc":"2.0","id":${idTextOf(message)},"result":${JSON.stringify(result)}}`
      const length = String(Buffer.byteLength(body))
      response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', length]).end(body)
    } catch (error) {
      refuse(response, error, { to: message })
    }
  }
}

/** What a modern client says twice over HTTP is said once here. */
function mirror({ method, params }: RequestMessage): Record<string, string> {
  const name = params?.[namedParams.get(method) ?? '']
  return {
    'mcp-protocol-version': String(metaOf(params)?.[metaKeys.revision]),
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  }
}

function plainCaller({ server, principal }: ServerRequest): Caller {
  return {
    principal: principal.id,
    server,
    era: 'legacy',
    revision: legacyRevisions[0],
    clientInfo: undefined,
    capabilities: {},
    connectionId: null,
    logLevel: null,
  }
}
