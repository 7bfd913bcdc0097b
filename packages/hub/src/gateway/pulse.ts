import type { ConnectionTable } from './connection-table.ts'
import type { Fanout } from './fanout.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'

const tickMs = 1000
/** Proxies and clients give up on a silent stream after 30 s or more. */
const keepAliveMs = 15_000
/** A call without an answer by then becomes a stream, which can carry signs of life. */
const streamAfterMs = 5000

/** One timer for everything that has to happen now and then, instead of timers for each call and connection. */
export class Pulse {
  readonly #endpoint: McpEndpoint
  readonly #connections: ConnectionTable
  readonly #fanout: Fanout
  #timer: NodeJS.Timeout | null = null

  constructor(parts: { endpoint: McpEndpoint; connections: ConnectionTable; fanout: Fanout }) {
    this.#endpoint = parts.endpoint
    this.#connections = parts.connections
    this.#fanout = parts.fanout
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), tickMs).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
  }

  #beat(): void {
    const now = performance.now()
    for (const exchange of this.#endpoint.exchanges) {
      if (exchange.stream === null && now - exchange.startedAt > streamAfterMs) exchange.openStream()
    }
    const streams = [
      ...[...this.#endpoint.exchanges].flatMap((exchange) => exchange.stream ?? []),
      ...[...this.#connections].flatMap((connection) => connection.currentStreams),
      ...[...this.#fanout.listeners].map((listener) => listener.stream),
    ]
    for (const stream of streams) {
      if (stream.isAttached && now - stream.lastWriteAt > keepAliveMs) stream.keepAlive()
    }
    this.#connections.expire(now)
  }
}
