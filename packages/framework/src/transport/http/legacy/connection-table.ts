import type { EndReason } from '../../../connection/connection.ts'
import type { LegacyProtocol } from '../../../host/legacy-protocol.ts'
import type { Peer } from '../../../host/peer.ts'

export interface TableOptions {
  readonly idleMs: number
  readonly max: number
  /** Called now and then for connections in use, so that what is stored of them does not expire. */
  onUse(connection: LegacyConnection): void
  /** Called when the client or the server ended the connection, not the table. */
  onEnd(connection: LegacyConnection): void
  report(error: unknown): void
}

interface Entry {
  readonly connection: LegacyConnection
  usedAt: number
}

/** How long a connection may stay without being opened by `initialize`. */
const openingMs = 30_000
const maxSweepMs = 60_000

/** The connections of legacy clients, which often leave without closing: idle ones expire, and there is a maximum. */
export class ConnectionTable {
  readonly #options: TableOptions
  /** The least recently used comes first. */
  readonly #entries = new Map<string, Entry>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: TableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#entries.size
  }

  *[Symbol.iterator](): Iterator<LegacyConnection> {
    for (const { connection } of this.#entries.values()) yield connection
  }

  /** Finds a connection and notes that it is in use. */
  get(id: string): LegacyConnection | undefined {
    const entry = this.#entries.get(id)
    if (entry !== undefined) this.#use(entry, Date.now())
    return entry?.connection
  }

  /** True when there is room for one more; the longest idle connection makes some. */
  makeRoom(): boolean {
    if (this.#entries.size < this.#options.max) return true
    for (const { connection } of this.#entries.values()) {
      if (connection.isRunning) continue
      this.#end(connection, 'evicted')
      return true
    }
    return false
  }

  add(connection: LegacyConnection): void {
    this.#entries.set(connection.id, { connection, usedAt: Date.now() })
    const everyMs = Math.min(maxSweepMs, Math.max(5, this.#options.idleMs / 4))
    this.#timer ??= setInterval(() => this.#sweep(), everyMs).unref()
  }

  /** Takes a connection out that has ended. */
  closed(connection: LegacyConnection): void {
    if (this.#entries.get(connection.id)?.connection !== connection) return
    this.#entries.delete(connection.id)
    this.#options.onEnd(connection)
  }

  async closeAll(reason: EndReason): Promise<void> {
    const all = [...this]
    this.#entries.clear()
    this.#stopTimer()
    await Promise.all(all.map((connection) => connection.protocol.close(reason)))
  }

  #use(entry: Entry, now: number): void {
    entry.usedAt = now
    const { connection } = entry
    this.#entries.delete(connection.id)
    this.#entries.set(connection.id, entry)
    this.#options.onUse(connection)
  }

  #sweep(): void {
    const now = Date.now()
    const { idleMs } = this.#options
    // A copy: whoever is in use moves to the end.
    const entries = [...this.#entries.values()]
    for (const entry of entries) {
      const { connection, usedAt } = entry
      const isUnopened = connection.protocol.connection === undefined
      if (isUnopened && now - usedAt > Math.min(idleMs, openingMs)) this.#end(connection, 'idle')
      else if (!isUnopened && (connection.isRunning || connection.isListening)) this.#use(entry, now)
      else if (now - usedAt > idleMs) this.#end(connection, 'idle')
    }
    if (this.#entries.size === 0) this.#stopTimer()
  }

  /** Ends a connection here. What is stored of it stays, since another process may be serving it. */
  #end(connection: LegacyConnection, reason: EndReason): void {
    this.#entries.delete(connection.id)
    connection.protocol.close(reason).catch(this.#options.report)
  }

  #stopTimer(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** A connection of a legacy client over HTTP, as the table of them sees it. */
export interface LegacyConnection extends Peer {
  readonly id: string
  readonly protocol: LegacyProtocol
  /** True while requests of the client are under way. */
  readonly isRunning: boolean
  /** True while the client has a stream open for what belongs to no request. */
  readonly isListening: boolean
}
