import { HubError } from '@herma/contract/plain'
import { isObject } from '@herma/framework/wire'
import { isNestedTooDeep, maxNesting } from '@herma/framework/wire'
import { isUtf8 } from 'node:buffer'
import { listMembers } from '../json/json-places.ts'
import { RawJson, readJson, textAt, wholeText } from '../json/json-text.ts'

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

/** A message that was not read, but for its id. */
export class UnreadMessage extends HubError {
  /** The id as it stands in JSON. */
  readonly idText: string

  constructor(error: HubError, idText: string) {
    super(error.code, error.message)
    this.idText = idText
  }
}

/**
 * Parses one JSON value, which remembers its text, and leaves its JSON-RPC form unchecked, so that a batch can be told
 * from a bad message.
 */
export function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8')
  if (isNestedTooDeep(body)) throw tooDeep(text)
  // Bytes that are no UTF-8 would be passed on as other ones.
  if (text.includes('\ufffd') && !isUtf8(body)) throw new HubError('PARSE_ERROR', 'The body is not valid UTF-8.')
  try {
    return readJson(text)
  } catch (cause) {
    throw new HubError('PARSE_ERROR', `The body is not valid JSON: ${(cause as Error).message}`, { cause })
  }
}

function tooDeep(text: string): HubError {
  const error = invalid(`it is nested deeper than ${maxNesting} levels`)
  const id = listMembers(text, text.search(/\S/))?.findLast(({ key }) => key === 'id')
  const idText = id === undefined ? '' : text.slice(id.start, id.end)
  return /^("|-?\d)/.test(idText) ? new UnreadMessage(error, idText) : error
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
  if ('id' in value && !isRequestId(id)) throw invalid('"id" must be a string or a number')
  if (params !== undefined && !isObject(params)) throw invalid('"params" must be an object')
  return value as unknown as Message
}

export function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number'
}

/** The id of a message as it stands in JSON. */
export function idTextOf(message: { readonly id: RequestId }): string {
  return peekIdText(message) ?? textAt(message, ['id']) ?? JSON.stringify(message.id)
}

const headOfRequest = '{"jsonrpc":"2.0","id":'
const numberFirst = /-?[\d.eE+-]+(?=[,}])/y
const numberLast = /[{,]"id":(-?[\d.eE+-]+)}$/

/** Most clients write a number, and write it first or last: it is found without a look at the rest. */
function peekIdText(message: { readonly id: RequestId }): string | undefined {
  const text = typeof message.id === 'number' ? wholeText(message) : undefined
  if (text === undefined) return undefined
  numberFirst.lastIndex = headOfRequest.length
  const found = text.startsWith(headOfRequest) ? numberFirst.exec(text)?.[0] : numberLast.exec(text.slice(-40))?.[1]
  // Another number was not the last of several ids.
  return found !== undefined && Number(found) === message.id ? found : undefined
}

/** An id to compare with others: numbers that JavaScript cannot tell apart are told apart by their text. */
export function toIdKey(id: RequestId, text: string | undefined): RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id) || text === undefined ? id : `\0${text}`
}

/** An id or token to write: a number that JavaScript cannot hold exactly stays as it was written. */
export function toIdValue(id: RequestId, text: string | undefined): RequestId | RawJson {
  return typeof id === 'string' || Number.isSafeInteger(id) || text === undefined ? id : new RawJson(text)
}

function invalid(what: string): HubError {
  return new HubError('INVALID_REQUEST', `Not a JSON-RPC 2.0 message: ${what}.`)
}
