import { isObject } from '@herma/framework/wire'
import { markMembers, readJson } from '../json/json-text.ts'
import type { RpcError } from './message.ts'

/** The error in a serialised answer, or null for a result. Answers without the word are not parsed. */
export function readAnswerError(bytes: Buffer): RpcError | null {
  if (!bytes.includes('"error"')) return null
  try {
    const message = readJson(bytes.toString('utf8'))
    markMembers(message)
    const error = isObject(message) ? message['error'] : undefined
    return isObject(error) && typeof error['code'] === 'number' ? (error as unknown as RpcError) : null
  } catch {
    // Not JSON: whoever takes the answer says so.
    return null
  }
}

const unknownCodes: ReadonlySet<number> = new Set([-32601, -32602])

/** True where a server says that it does not know what it was asked for, or not with these arguments. */
export function isUnknownError({ code }: RpcError): boolean {
  return unknownCodes.has(code)
}

/** The same of the text of an answer; many servers say it in the result of a tool. */
export function mentionsUnknown(text: string): boolean {
  return /-3260[12]\b/.test(text)
}
