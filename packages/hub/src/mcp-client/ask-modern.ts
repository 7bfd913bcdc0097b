import { isObject, metaKeys, modernRevision } from '../wire/index.ts'
import { modernHeaders } from './modern-headers.ts'
import { runExchange, StreamEnded, type McpExchange, type SendRequest } from './run-exchange.ts'

type Message = Record<string, unknown>

export interface ModernRequest extends Pick<McpExchange, 'url' | 'signal' | 'limitBytes'> {
  readonly id: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly clientInfo: { readonly name: string; readonly version: string }
  /** Besides those that mirror the message. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Progress is asked for only where somebody listens. */
  onNotification?: ((method: string, params: Record<string, unknown>) => void) | undefined
}

export interface ModernAnswer {
  readonly status: number
  /** Null when what came is no MCP message, or a stream that ended without one. */
  readonly message: Message | null
  readonly hasEnded: boolean
}

/**
 * Sends one stateless request of revision 2026-07-28 and returns its answer, which may be an error; notifications arrive
 * on the way. Throws when there is no answer. Aborting closes the stream, which is how that revision cancels.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export async function askModern(send: SendRequest, request: ModernRequest): Promise<ModernAnswer> {
  const { id, method, headers, onNotification } = request
  const _meta = {
    [metaKeys.revision]: modernRevision,
    [metaKeys.clientInfo]: request.clientInfo,
    // Nobody is there to answer questions.
    [metaKeys.clientCapabilities]: {},
    ...(onNotification !== undefined && { progressToken: id }),
  }
  const sent = { jsonrpc: '2.0', id, method, params: { ...request.params, _meta } } as const
  let status = 0
  let message: Message | null = null
  const outcome = await runExchange(send, {
    ...request,
    headers: { ...modernHeaders(sent), ...headers },
    body: JSON.stringify(sent),
    onHead: ({ statusCode }) => (status = statusCode ?? 0),
    take(bytes, place) {
      const value = place === 'stream' ? (JSON.parse(bytes.toString('utf8')) as unknown) : parse(bytes)
      if (!isObject(value)) return false
      if (place === 'body') message = value
      else if (typeof value['method'] === 'string')
        onNotification?.(value['method'], isObject(value['params']) ? value['params'] : {})
      else if (value['id'] === id) message = value
      return message !== null
    },
  })
  if (outcome.kind === 'broken' && outcome.error instanceof StreamEnded)
    return { status, message: null, hasEnded: true }
  if (outcome.kind === 'unsent' || outcome.kind === 'broken') throw outcome.error
  if (outcome.kind !== 'refused') return { status, message, hasEnded: false }
  const value = parse(outcome.body)
  return { status, message: isObject(value) ? value : null, hasEnded: false }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    // Told as an answer that is none.
    return null
  }
}
