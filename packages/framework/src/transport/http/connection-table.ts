import type { EndReason } from '../../connection/connection.ts'
import type { LegacyConnection } from './legacy-connection.ts'

export interface TableOptions {
  readonly idleMs: number
  readonly max: number
  /** Called now and then for connections in use, so that what is stored of them does not expire. */
  onUse(connection: LegacyConnection): void
  /** Somebody else than the table ended the connection: its client or its server. */
  onEnd(connection: LegacyConnection): void
  report(error: unknown): void
}

interface Seat {
  readonly connection: LegacyConnection
  usedAt: number
}

/** How long a client may stay without having said who it is. */
const introductionMs = 30_000
const maxSweepMs = 60_000

/** The legacy clients. They often leave without a word, so they expire, and their number has a cap. */
export class ConnectionTable {
  readonly #options: TableOptions
  /** The one that was not used for the longest time comes first. */
  readonly #seats = new Map<string, Seat>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: TableOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#seats.size
  }

  *[Symbol.iterator](): Iterator<LegacyConnection> {
    for (const { connection } of this.#seats.values()) yield connection
  }

  /** Finds a connection and notes that it is in use. */
  get(id: string): LegacyConnection | undefined {
    const seat = this.#seats.get(id)
    if (seat !== undefined) this.#use(seat, Date.now())
    return seat?.connection
  }

  /** True when there is room for one more; the longest idle connection makes some. */
  makeRoom(): boolean {
    if (this.#seats.size < this.#options.max) return true
    for (const { connection } of this.#seats.values()) {
      if (connection.isRunning) continue
      this.#end(connection, 'evicted')
      return true
    }
    return false
  }

  add(connection: LegacyConnection): void {
    this.#seats.set(connection.id, { connection, usedAt: Date.now() })
    const everyMs = Math.min(maxSweepMs, Math.max(5, this.#options.idleMs / 4))
    this.#timer ??= setInterval(() => this.#sweep(), everyMs).unref()
  }

  /** Takes a connection out that has ended. */
  closed(connection: LegacyConnection): void {
    if (this.#seats.get(connection.id)?.connection !== connection) return
    this.#seats.delete(connection.id)
    this.#options.onEnd(connection)
  }

  async closeAll(reason: EndReason): Promise<void> {
    const all = [...this]
    this.#seats.clear()
    this.#rest()
    await Promise.all(all.map((connection) => connection.protocol.close(reason)))
  }

  #use(seat: Seat, now: number): void {
    seat.usedAt = now
    const { connection } = seat
    this.#seats.delete(connection.id)
    this.#seats.set(connection.id, seat)
    this.#options.onUse(connection)
  }

  #sweep(): void {
    const now = Date.now()
    const { idleMs } = this.#options
    // A copy: whoever is in use moves to the end.
    const seats = [...this.#seats.values()]
    for (const seat of seats) {
      const { connection, usedAt } = seat
      const isStranger = connection.protocol.connection === undefined
      if (isStranger && now - usedAt > Math.min(idleMs, introductionMs)) this.#end(connection, 'idle')
      else if (!isStranger && (connection.isRunning || connection.isListening)) this.#use(seat, now)
      else if (now - usedAt > idleMs) this.#end(connection, 'idle')
    }
    if (this.#seats.size === 0) this.#rest()
  }

  /** Ends a connection here. What is stored of it stays, since another process may be serving it. */
  #end(connection: LegacyConnection, reason: EndReason): void {
    this.#seats.delete(connection.id)
    connection.protocol.close(reason).catch(this.#options.report)
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
