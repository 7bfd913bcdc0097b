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
