import {
  type JSONRPCMessage,
  isJSONRPCRequest,
  RELATED_TASK_META_KEY,
  type JSONRPCNotification,
  type JSONRPCRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type RequestId,
} from '@modelcontextprotocol/server'
import { isObject } from '../wire/meta.ts'
import { type McpError, errorCode } from './errors.ts'

/** A message of JSON-RPC, or the error to answer what is none with. */
export function readMessage(value: unknown): { message: JSONRPCMessage } | { refusal: JSONRPCErrorResponse } {
  if (
    looksLikeRequest(value) ||
    isJSONRPCNotification(value) ||
    isJSONRPCResultResponse(value) ||
    isJSONRPCErrorResponse(value)
  ) {
    return { message: value }
  }
  return { refusal: errorMessage(idOf(value), errorCode.invalidRequest, 'This is no valid JSON-RPC 2.0 message.') }
}

export function errorMessage(
  id: RequestId | null,
  code: number,
  message: string,
  data?: unknown,
): JSONRPCErrorResponse {
  // JSON-RPC answers what has no readable id with null, which the SDK's type leaves out.
  return { jsonrpc: '2.0', id: id as RequestId, error: { code, message, ...(data !== undefined && { data }) } }
}

function idOf(value: unknown): RequestId | null {
  const id = isObject(value) ? value['id'] : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Tells what kind a message is that is known to be one. */
export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message
}

export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return 'method' in message && !('id' in message)
}

/** Whether something is a request. Nearly all are plain, and need no schema to be recognised; the SDK decides the rest. */
export function looksLikeRequest(value: unknown): value is JSONRPCRequest {
  return isPlainRequest(value) || isJSONRPCRequest(value)
}

function isPlainRequest(value: unknown): boolean {
  if (!isObject(value) || value['jsonrpc'] !== '2.0' || typeof value['method'] !== 'string') return false
  if (!isToken(value['id'])) return false
  const { params } = value
  if (Object.keys(value).length !== (params === undefined ? 3 : 4)) return false
  return params === undefined || (isObject(params) && isPlainMeta(params['_meta']))
}

function isPlainMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isObject(meta) || RELATED_TASK_META_KEY in meta) return false
  return meta['progressToken'] === undefined || isToken(meta['progressToken'])
}

function isToken(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/**
 * The message itself when JSON can be made of it, else the error that answers in its place, so that nobody waits forever
 * for a result with a BigInt or a circle in it. Undefined where no answer is due.
 */
export function writableMessage(
  message: JSONRPCMessage,
  mask: (error: unknown) => McpError,
): JSONRPCMessage | undefined {
  try {
    JSON.stringify(message)
    return message
  } catch (error) {
    const { code, message: text } = mask(error)
    return 'method' in message || message.id === undefined ? undefined : errorMessage(message.id, code, text)
  }
}
