import { LoopbackGuard } from '../access/index.ts'
import type { Catalog, CatalogKind } from '../catalog/index.ts'
import type { ConnectorBook, DownstreamListener } from '../downstream/index.ts'
import { ConnectionTable, type ConnectionLimits } from './connection-table.ts'
import { Facade } from './facade.ts'
import { Fanout } from './fanout.ts'
import { HttpServer, type HttpServerParts } from './http-server.ts'
import { McpEndpoint } from './mcp-endpoint.ts'
import { Pulse } from './pulse.ts'

export interface GatewayOptions extends Pick<HttpServerParts, 'api' | 'web' | 'log' | 'isReady'> {
  readonly catalog: Catalog
  /** Asked for late, because the book and the gateway know each other. */
  book(): ConnectorBook
  readonly limits: ConnectionLimits & { readonly maxBodyBytes: number }
}

export interface Gateway {
  readonly connectionCount: number
  readonly inFlight: number
  onListsChanged(kinds: readonly CatalogKind[]): void
  readonly listener: Pick<DownstreamListener, 'onNotification' | 'onQuestion'>
  start(host: string, port: number): Promise<string>
  stop(): Promise<void>
}

/** How long calls under way may take to end when the hub stops. */
const graceMs = 5000

/** Wires the inbound side. */
export function createGateway(options: GatewayOptions): Gateway {
  const { catalog, book, limits } = options
  const connections: ConnectionTable = new ConnectionTable(limits, (connection) => fanout.forget(connection))
  const fanout = new Fanout({ connections, catalog, book })
  let parts: { server: HttpServer; endpoint: McpEndpoint; pulse: Pulse } | null = null
  return {
    get connectionCount() {
      return connections.size
    },
    get inFlight() {
      return parts?.endpoint.exchangeCount ?? 0
    },
    onListsChanged: (kinds) => fanout.listsChanged(kinds),
    listener: {
      onNotification: (_, message) => fanout.onNotification(message),
      onQuestion: (_, connectionId, question, signal) => fanout.onQuestion(connectionId, question, signal),
    },
    async start(host, port) {
      const facade = new Facade({ catalog, book: book(), fanout })
      const endpoint = new McpEndpoint({ facade, connections, maxBodyBytes: limits.maxBodyBytes })
      const pulse = new Pulse({ endpoint, connections, fanout })
      const server = new HttpServer({ ...options, guard: new LoopbackGuard(), endpoint })
      parts = { server, endpoint, pulse }
      pulse.start()
      return server.start(host, port)
    },
    async stop() {
      fanout.stop()
      parts?.pulse.stop()
      for (const connection of connections) if (!connection.isBusy) connections.close(connection)
      await parts?.server.stop(graceMs)
      connections.closeAll()
    },
  }
}
