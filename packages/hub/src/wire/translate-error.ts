import { isObject } from '@herma/framework/wire'
import type { RpcError } from './message.ts'
import type { Era } from './revision.ts'

/** 2025-11-25 only: the call needs the user to open URLs first. */
export const urlElicitationRequired = -32042

const resourceNotFound = -32002
const invalidParams = -32602
const internalError = -32603

/**
 * An error as a client of the other era knows it. The codes that only one era has:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export function translateError(error: RpcError, method: string, to: Era): RpcError {
  if (to === 'modern') {
    if (error.code === resourceNotFound) return { ...error, code: invalidParams }
    // A modern client would read these as reserved for something else.
    return isReserved(error.code) ? { ...error, code: internalError } : error
  }
  if (method === 'resources/read' && error.code === invalidParams && isMissing(error)) {
    return { ...error, code: resourceNotFound }
  }
  return isReserved(error.code) ? { ...error, code: internalError } : error
}

/** `-32020` … `-32099` mean something in 2026-07-28 and nothing before. */
function isReserved(code: number): boolean {
  return code <= -32020 && code >= -32099
}

/** A modern server says which resource is missing in the data; a looser one says so in words. */
function isMissing({ data, message }: RpcError): boolean {
  return (isObject(data) && typeof data['uri'] === 'string') || /not found|unknown|no such/i.test(message)
}
