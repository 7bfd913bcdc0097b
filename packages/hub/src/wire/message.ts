import { HubError } from '@herma/contract'
import { isObject } from '@herma/framework/wire'
import { isNestedTooDeep, maxNesting } from '@herma/framework/wire'

export type RequestId = string | number
export type Params = Record<string, unknown>

export interface RequestMessage {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: Params
}

export interface NotificationMessage {
  jsonrpc: '2.0'
  method: string
  params?: Params
}

export interface RpcError {
  code: number
  message: string
  data?: unknown
}

export interface ResponseMessage {
  jsonrpc: '2.0'
  id: RequestId
  result?: unknown
  error?: RpcError
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage

export function isRequest(message: Message): message is RequestMessage {
  return 'method' in message && 'id' in message
}

export function isNotification(message: Message): message is NotificationMessage {
  return 'method' in message && !('id' in message)
}

/** Parses one JSON value and leaves its JSON-RPC form unchecked, so that a batch can be told from a bad message. */
export function parseJson(body: Buffer): unknown {
  if (isNestedTooDeep(body)) throw invalid(`it is nested deeper than ${maxNesting} levels`)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new HubError('PARSE_ERROR', `The body is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

/** Checks the JSON-RPC envelope only; params and results belong to the two ends. */
export function toMessage(value: unknown): Message {
  if (!isObject(value)) throw invalid('a message must be a JSON object')
  if (value['jsonrpc'] !== '2.0') throw invalid('"jsonrpc" must be "2.0"')
  const { id, method, params } = value
  if (method === undefined) {
    if (!isRequestId(id) && !(id === null && 'error' in value)) throw invalid('a message needs a "method"')
    if (!('result' in value) && !('error' in value)) throw invalid('a response needs a "result" or an "error"')
    return value as unknown as ResponseMessage
  }
  if (typeof method !== 'string') throw invalid('"method" must be a string')
  if ('id' in value && !isRequestId(id)) throw invalid('"id" must be a string, or a number up to 2^53 - 1')
  if (params !== undefined && !isObject(params)) throw invalid('"params" must be an object')
  return value as unknown as Message
}

/** A number that JavaScript cannot hold exactly would come back as another one, so it is no id. */
export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER)
}

function invalid(what: string): HubError {
  return new HubError('INVALID_REQUEST', `Not a JSON-RPC 2.0 message: ${what}.`)
}
