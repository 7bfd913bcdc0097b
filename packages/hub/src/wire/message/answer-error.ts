import { isObject } from '@herma/framework/wire'
import { markMembers, readJson } from '../json/json-text.ts'
import type { RpcError } from './message.ts'

const errorWord = Buffer.from('"error"')
/** An answer that begins with its result has no error behind it. */
const beginOfResult = /^\{(?:"jsonrpc":"2\.0",)?(?:"id":\d{1,16},)?"result":/

/** The error in a serialised answer, or null for a result. Answers without the word are not parsed. */
export function readAnswerError(bytes: Buffer): RpcError | null {
  if (beginOfResult.test(bytes.toString('latin1', 0, 64)) || !bytes.includes(errorWord)) return null
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
