import { randomUUID } from 'node:crypto'
import { HubError } from '@herma/contract'
import { Connection, type NewCaller } from './connection.ts'

export interface ConnectionLimits {
  readonly maxConnections: number
  /** Time without a request or an open stream after which a connection is forgotten. */
  readonly idleMs: number
  /** How long a client may take to answer a question. */
  readonly questionMs: number
}

/** The legacy clients. They often leave without a word, so they expire, and their number has a cap. */
export class ConnectionTable {
  readonly #connections = new Map<string, Connection>()
  readonly #limits: ConnectionLimits
  readonly #onClose: (connection: Connection) => void

  constructor(limits: ConnectionLimits, onClose: (connection: Connection) => void) {
    this.#limits = limits
    this.#onClose = onClose
  }

  get size(): number {
    return this.#connections.size
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#connections.values()
  }

  open(caller: NewCaller): Connection {
    if (this.#connections.size >= this.#limits.maxConnections) this.expire(performance.now())
    if (this.#connections.size >= this.#limits.maxConnections) {
      throw new HubError(
        'TOO_MANY_CONNECTIONS',
        `The hub has ${this.#connections.size} connections, its limit. Try again later.`,
      )
    }
    const connection = new Connection(randomUUID(), caller, this.#limits)
    this.#connections.set(connection.id, connection)
    return connection
  }

  get(id: string): Connection | undefined {
    const connection = this.#connections.get(id)
    if (connection !== undefined) connection.lastSeenAt = performance.now()
    return connection
  }

  close(connection: Connection): void {
    if (!this.#connections.delete(connection.id)) return
    connection.close()
    this.#onClose(connection)
  }

  expire(now: number): void {
    for (const connection of this.#connections.values()) {
      if (connection.isBusy) connection.lastSeenAt = now
      if (now - connection.lastSeenAt > this.#limits.idleMs) this.close(connection)
      else connection.prune(now)
    }
  }

  closeAll(): void {
    for (const connection of this.#connections.values()) this.close(connection)
  }
}
