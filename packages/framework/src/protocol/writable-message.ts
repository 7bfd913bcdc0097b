import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { McpError } from './errors.ts'
import { errorMessage } from './read-message.ts'

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
