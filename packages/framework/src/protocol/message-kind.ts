import {
  isJSONRPCRequest,
  RELATED_TASK_META_KEY,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server'
import { isObject } from '../wire/meta.ts'

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
