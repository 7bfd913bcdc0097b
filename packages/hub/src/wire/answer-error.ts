import { isObject } from '@herma/framework/wire'
import type { RpcError } from './message.ts'

/** The error in a serialised answer, or null for a result. Answers without the word are not parsed. */
export function readAnswerError(bytes: Buffer): RpcError | null {
  if (!bytes.includes('"error"')) return null
  try {
    const message: unknown = JSON.parse(bytes.toString('utf8'))
    const error = isObject(message) ? message['error'] : undefined
    return isObject(error) && typeof error['code'] === 'number' ? (error as unknown as RpcError) : null
  } catch {
    // Not JSON: whoever takes the answer says so.
    return null
  }
}
