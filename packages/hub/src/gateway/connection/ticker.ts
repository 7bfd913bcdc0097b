import type { ConnectionTable } from './connection-table.ts'
import type { RequestReceiver } from '../call/request-receiver.ts'
import type { Parking } from '../call/parking.ts'
import type { Servers } from '../server/servers.ts'
import type { SseEndpoint } from '../transport/sse-endpoint.ts'

const tickMs = 1000

interface TickerOptions {
  readonly receiver: RequestReceiver
  readonly connections: ConnectionTable
  readonly parking: Parking
  readonly sse: SseEndpoint
  readonly servers: Pick<Servers, 'offersSse'>
}

/** One timer for everything that has to happen now and then, instead of timers for each call and connection. */
export class Ticker {
  readonly #options: TickerOptions
  #timer: NodeJS.Timeout | null = null

  constructor(options: TickerOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), tickMs).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  #beat(): void {
    const { connections, receiver, parking, servers, sse } = this.#options
    const now = performance.now()
    for (const exchange of receiver.exchanges) exchange.sink?.beat(now)
    for (const connection of connections) for (const stream of connection.currentStreams) stream.beat(now)
    connections.expire(now)
    parking.expire(now)
    sse.endWithdrawn((server) => servers.offersSse(server) === true)
  }
}
