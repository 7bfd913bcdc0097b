import { isObject } from '@herma/framework/wire'
import type { RpcError } from '../message/message.ts'
import type { Era } from '../revision.ts'

/** 2025-11-25 only: the call needs the user to open URLs first. */
export const urlElicitationRequired = -32042

const resourceNotFound = -32002
const invalidParams = -32602
const internalError = -32603
/** Headers that do not match, a capability that is missing, a revision that is not supported. */
const modernCodes: ReadonlySet<number> = new Set([-32020, -32021, -32022])

/**
 * An error as a client of the other era knows it. Only a code that would say something else there is replaced; text and
 * data of the server always pass: https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export function translateError(error: RpcError, method: string, to: Era): RpcError {
  if (to === 'modern') {
    if (error.code === resourceNotFound && method === 'resources/read') return { ...error, code: invalidParams }
    // A modern client would open another connection, or send the request in another form.
    return modernCodes.has(error.code) ? { ...error, code: internalError } : error
  }
  if (method === 'resources/read' && error.code === invalidParams && isMissing(error))
    return { ...error, code: resourceNotFound }
  return error
}

/** A modern server says which resource is missing in the data; a looser one says so in words. */
function isMissing({ data, message }: RpcError): boolean {
  return (isObject(data) && typeof data['uri'] === 'string') || /not found|no such|unknown resource/i.test(message)
}
