import type { JSONValue } from '@modelcontextprotocol/server'
import type { Schema } from '../schema/schema.ts'
import type { Context } from './context.ts'

/** What `context.state` holds, and whose it is. */
export interface StateOptions<S> {
  init(context: Context<S>): S | Promise<S>
  /**
   * Whose state it is: of the connection (legacy clients; a modern request has a state of its own), of the principal, or
   * of a key of yours. Without authentication all clients are one principal.
   */
  readonly by?: 'connection' | 'principal' | ((context: Context<S>) => string | undefined)
  /** How long it is kept after the last change; an hour unless said otherwise. */
  readonly ttlMs?: number
  /** Checks what comes back from the store. */
  readonly schema?: Schema
  dump?(state: S): JSONValue
  load?(stored: JSONValue): S
}
