import type { Transport } from '@modelcontextprotocol/client'
import type { LiveConnection } from '../connection/live-connection.ts'
import type { Peer } from '../host/peer.ts'

/** The way between a test and the server: in memory, or over a socket. */
export interface Link {
  /** For the official client. */
  readonly transport: Transport
  /** What the server sees at the other end. */
  readonly peer: Peer
  /** The legacy connection, once it is open. */
  connection(): LiveConnection | undefined
  /** Sends a value as it is. Resolves with the answer, if `isAnswerDue`. */
  exchange(value: unknown): Promise<unknown>
  close(): Promise<void>
}

/** Whether a server owes anything for this: notifications and responses get no answer, everything else does. */
export function isAnswerDue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 || value.some(isAnswerDue)
  if (typeof value !== 'object' || value === null) return true
  if ('method' in value) return 'id' in value
  return !('result' in value) && !('error' in value)
}

export function idsOf(value: unknown): readonly unknown[] {
  const messages: unknown[] = Array.isArray(value) ? value : [value]
  return messages.flatMap((message) =>
    typeof message === 'object' && message !== null && 'id' in message ? [message.id] : [],
  )
}

/** A promise of something that must come within a time. */
export function within<Value>(promise: Promise<Value>, timeoutMs: number, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${timeoutMs} ms.`)), timeoutMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
