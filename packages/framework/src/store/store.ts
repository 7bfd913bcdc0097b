import type { JSONRPCMessage, JSONValue } from '@modelcontextprotocol/server'

/** A record of a store as it was read. */
export interface Stored {
  readonly value: JSONValue
  /** Grows with every save; given back as `ifRevision`, it makes a save compare-and-swap. */
  readonly revision: number
}

/** How long a record is kept, and over which revision it is saved. */
export interface SaveOptions {
  readonly ttlMs: number
  /** Saves only over this revision; 0 means that there must be nothing yet. Throws `StaleRevision` otherwise. */
  readonly ifRevision?: number
}

/** Where connections and their state are kept, so that another process can go on with them. */
export interface Store {
  load(key: string): Promise<Stored | undefined>
  /** Returns the new revision. */
  save(key: string, value: JSONValue, options: SaveOptions): Promise<number>
  /** Puts off the expiry. False when there is nothing to put off. */
  touch(key: string, ttlMs: number): Promise<boolean>
  delete(key: string): Promise<void>
}

/** A message that went out on a stream, under the id by which a client resumes. */
export interface LoggedEvent {
  readonly id: string
  readonly message: JSONRPCMessage
}

/** What went out on the streams of legacy connections, so that a client can resume after its stream broke. */
export interface EventLog {
  /** Returns the id of the event, unique among all streams. */
  append(stream: string, message: JSONRPCMessage): Promise<string>
  /** Which stream an event belongs to; undefined when it is gone. */
  streamOf(id: string): Promise<string | undefined>
  /** The later events of the same stream, in order; undefined when the event is no longer known. */
  after(id: string): Promise<readonly LoggedEvent[] | undefined>
}
