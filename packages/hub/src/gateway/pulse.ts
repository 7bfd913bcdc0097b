import type { ConnectionTable } from './connection-table.ts'
import type { Intake } from './intake.ts'
import type { Parking } from './parking.ts'

const tickMs = 1000

/** One timer for everything that has to happen now and then, instead of timers for each call and connection. */
export class Pulse {
  readonly #intake: Intake
  readonly #connections: ConnectionTable
  readonly #parking: Parking
  #timer: NodeJS.Timeout | null = null

  constructor(parts: { intake: Intake; connections: ConnectionTable; parking: Parking }) {
    this.#intake = parts.intake
    this.#connections = parts.connections
    this.#parking = parts.parking
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), tickMs).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  #beat(): void {
    const now = performance.now()
    for (const exchange of this.#intake.exchanges) exchange.outlet?.beat(now)
    for (const connection of this.#connections) for (const stream of connection.currentStreams) stream.beat(now)
    this.#connections.expire(now)
    this.#parking.expire(now)
  }
}
