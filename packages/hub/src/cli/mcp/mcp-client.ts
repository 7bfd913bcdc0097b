import type { IncomingMessage } from 'node:http'

import { encodeHeaderValue, isObject, metaKeys, modernRevision, SseParser } from '../../wire/index.ts'
import { readAnswer, sendRequest } from '../hub/send-request.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { version } from './version.ts'

const answerLimitBytes = 268_435_456

export interface McpRequest {
  readonly method: string
  /** Value of Mcp-Name, for methods that have one. */
  readonly name?: string
  readonly params?: Record<string, unknown>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  onNotification?(method: string, params: Record<string, unknown>): void
}

/** An error answer of the MCP endpoint. */
export class RpcFailure extends CliError {
  readonly rpcCode: number
  readonly rpcMessage: string

  constructor(rpcCode: number, message: string) {
    super(exitCodes.downstreamFailed, `${message} (code ${rpcCode})`, { code: `RPC_${rpcCode}` })
    this.rpcCode = rpcCode
    this.rpcMessage = message
  }
}

let lastId = 0

/**
 * Sends one stateless request of revision 2026-07-28 and returns its result; progress arrives on the way.
 * Aborting closes the stream, which is how that revision cancels.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export async function requestMcp(endpoint: URL, request: McpRequest): Promise<Record<string, unknown>> {
  const id = ++lastId
  const _meta = {
    [metaKeys.revision]: modernRevision,
    [metaKeys.clientInfo]: { name: 'herma', version },
    [metaKeys.clientCapabilities]: {},
    ...(request.onNotification === undefined ? {} : { progressToken: id }),
  }
  const answer = await sendRequest(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modernRevision,
      'mcp-method': request.method,
      ...(request.name === undefined ? {} : { 'mcp-name': encodeHeaderValue(request.name) }),
      ...request.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: request.method, params: { ...request.params, _meta } }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  })
  const isStream = (answer.headers['content-type'] ?? '').toLowerCase().startsWith('text/event-stream')
  const message = isStream ? await readStream(answer, id, request) : await readJson(answer)
  return resultOf(message, answer.statusCode ?? 0)
}

type Message = Record<string, unknown>

async function readJson(answer: IncomingMessage): Promise<Message> {
  const text = await readAnswer(answer, answerLimitBytes)
  try {
    const message: unknown = JSON.parse(text)
    if (isObject(message)) return message
  } catch {
    // Told below like any other answer that is no message.
  }
  throw new CliError(exitCodes.failed, `The endpoint answered with status ${answer.statusCode} and no MCP message.`)
}

async function readStream(answer: IncomingMessage, id: number, request: McpRequest): Promise<Message> {
  let response: Message | undefined
  const parser = new SseParser(({ data }) => {
    if (data.length === 0) return
    const message: unknown = JSON.parse(data.toString('utf8'))
    if (!isObject(message)) return
    if (typeof message['method'] === 'string') {
      request.onNotification?.(message['method'], isObject(message['params']) ? message['params'] : {})
    } else if (message['id'] === id) response = message
  }, answerLimitBytes)
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    parser.push(chunk)
    if (response !== undefined) break
  }
  if (response === undefined) throw new CliError(exitCodes.downstreamFailed, 'The stream ended without an answer.')
  return response
}

function resultOf(message: Message, status: number): Record<string, unknown> {
  const { error, result } = message
  if (isObject(error)) {
    // The management API's own form comes back where the endpoint refuses before it reads a message.
    const code = typeof error['code'] === 'number' ? error['code'] : status
    throw new RpcFailure(code, typeof error['message'] === 'string' ? error['message'] : 'The call failed.')
  }
  if (!isObject(result))
    throw new CliError(exitCodes.failed, `The endpoint answered with status ${status} and no result.`)
  return result
}
