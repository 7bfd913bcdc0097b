import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { isObject } from '../wire/meta.ts'
import { errorCode } from './errors.ts'
import { looksLikeRequest } from './message-kind.ts'

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
