import type { Capture, ServerHealth } from '@herma/contract'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { AddressLimiter } from '../access/index.ts'
import type { Catalog, CatalogKind, OutputWatch, Scopes } from '../catalog/index.ts'
import type { Connectors, DownstreamListener } from '../downstream/index.ts'
import type { Events } from '../platform/events.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import type { Caller } from '../wire/index.ts'
import { CallRecorder, type BodyMasks } from './call/call-recorder.ts'
import { ConnectionStore } from './connection/connection-store.ts'
import { ConnectionTable, type ConnectionLimits } from './connection/connection-table.ts'
import { ConnectionTokens, type ConnectionSealer } from './connection/connection-token.ts'
import type { ExchangeTable } from './call/exchange.ts'
import { Facade } from './facade.ts'
import { Fanout } from './subscription/fanout.ts'
import { gatewayMetrics } from './gateway-metrics.ts'
import { HttpServer, type HttpServerOptions } from './transport/http-server.ts'
import { RequestReceiver } from './call/request-receiver.ts'
import { McpEndpoint } from './transport/mcp-endpoint.ts'
import { OpenAiEndpoint, type OpenAiSessions } from './openai/openai-endpoint.ts'
import { Parking } from './call/parking.ts'
import { Permission, type Rulings } from './call/permission.ts'
import { Ticker } from './connection/ticker.ts'
import type { StateSealer } from './call/request-state.ts'
import { RpcEndpoint } from './transport/rpc-endpoint.ts'
import type { Servers } from './server/servers.ts'
import { serverHealth } from './server/server-health.ts'
import { SseEndpoint } from './transport/sse-endpoint.ts'

export interface GatewayOptions extends Pick<
  HttpServerOptions,
  'log' | 'whyNotReady' | 'metrics' | 'gatekeeper' | 'buffers' | 'isHttpFast'
> {
  readonly servers: Servers
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly outputs: OutputWatch
  readonly events: Events
  /** What is recorded of a served server. */
  captureOf(server: string): Capture
  /** Whether servers are told of traces that the hub began. */
  propagates(): boolean
  readonly rulings: Rulings
  /** What each address holds. */
  readonly addresses: AddressLimiter
  /** Sessions for clients of OpenAI's APIs. */
  readonly openai: OpenAiSessions
  readonly masks: BodyMasks
  /** What errors to clients pass. */
  readonly redact: ExchangeTable['redact']
  readonly connectors: Connectors
  /** What another hub is told of this one. */
  announce(server: string): Record<string, unknown>
  readonly sealer: StateSealer
  /** Seals the ids of legacy connections. */
  readonly connectionSealer: ConnectionSealer
  readonly db: NodePgDatabase
  readonly limits: ConnectionLimits & { readonly maxBodyBytes: number; readonly maxParked: number }
  /** How long calls under way may take to end when the hub stops. */
  readonly graceMs: number
  /** Told how many of them are left, whenever that changes. */
  onDrain?(running: number): void
}

/** What is served besides MCP, and the servers of the hub's own. */
export type GatewayHandlers = Pick<HttpServerOptions, 'api' | 'web' | 'own'>

/** When clients that listened try again: most give up after two times. */
const comeBackMs = 3000

export interface Gateway {
  readonly connectionCount: number
  readonly inFlight: number
  /** Calls that wait for input of their clients. */
  readonly parked: number
  readonly metrics: readonly Metric[]
  onListsChanged(kinds: readonly CatalogKind[]): void
  readonly listener: Pick<DownstreamListener, 'onNotification' | 'onQuestion'>
  /** How a served server is. */
  healthOf(server: string): ServerHealth
  /** Listens, and returns where. */
  start(host: string, port: number, handlers: GatewayHandlers): Promise<string>
  /** Calls under way, which a stop waits for. */
  readonly running: number
  /** Takes nothing new and waits for the calls under way, up to the grace. Called again it can only shorten the wait. */
  stop(): Promise<void>
  /** How long calls under way are waited for at most, from now on. */
  limitGrace(graceMs: number): void
}

/** Wires the inbound side. */
export function createGateway(options: GatewayOptions): Gateway {
  const { catalog, connectors, limits } = options
  const store = new ConnectionStore(options.db, options.log)
  const connections: ConnectionTable = new ConnectionTable(
    { ...limits, addresses: options.addresses },
    (connection) => fanout.forget(connection),
    {
      tokens: new ConnectionTokens(options.connectionSealer),
      store,
      onRestored: (connection, stored) => fanout.restore(connection, stored),
    },
  )
  const sees = (caller: Caller, server: string) => options.scopes.for(caller).seesServer(server)
  const { servers } = options
  const hostOf = ({ server }: Caller) => servers.hostOf(server) ?? null
  const fanout = new Fanout({ connections, catalog, connectors, sees, hostOf })
  const parking = new Parking({ maxParked: limits.maxParked, expiryMs: limits.questionMs }, options.sealer)
  const inFlight = () => parts?.receiver.exchangeCount ?? 0
  let parts: { server: HttpServer; receiver: RequestReceiver; ticker: Ticker } | null = null
  const healthOf = (name: string) => {
    const hosted = servers.hostOf(name)
    return serverHealth(servers.get(name), {
      refusal: servers.refusalOf(name),
      own: servers.ownFacts(name),
      hosted: hosted === undefined ? undefined : (options.connectors.entryOf(hosted) ?? null),
      inFlight: parts?.receiver.countOf(name) ?? 0,
    })
  }
  let stopping: Promise<void> | null = null
  const stop = async () => {
    parts?.receiver.drain()
    fanout.stop()
    parking.stop()
    for (const connection of connections) connection.hangUp(comeBackMs)
    await parts?.server.stop(options.onDrain)
    // Until then it keeps the streams of the calls alive.
    parts?.ticker.stop()
    connections.closeAll()
    await store.stop()
  }
  return {
    get connectionCount() {
      return connections.size
    },
    get inFlight() {
      return inFlight()
    },
    get parked() {
      return parking.size
    },
    healthOf,
    metrics: gatewayMetrics({ connections, fanout, parking, inFlight }),
    onListsChanged: (kinds) => fanout.listsChanged(kinds),
    listener: {
      onNotification: ({ name }, message, isFor) => fanout.onNotification(name, message, isFor),
      onQuestion: (_, connectionId, question, signal) => fanout.onQuestion(connectionId, question, signal),
    },
    async start(host, port, handlers) {
      const recorder = new CallRecorder({
        events: options.events,
        captureOf: options.captureOf,
        propagates: options.propagates,
        masks: options.masks,
        routeOf: (id) => `mcp:${options.connectors.entryOf(id)?.stored.connector.transport ?? 'gone'}`,
      })
      const permission = new Permission(options.rulings, recorder)
      const facade = new Facade({
        catalog,
        scopes: options.scopes,
        outputs: options.outputs,
        connectors: options.connectors,
        fanout,
        parking,
        permission,
        onGreeted: (server) => servers.greeted(server),
        announce: options.announce,
      })
      const receiver = new RequestReceiver({
        facade,
        connections,
        permission,
        addresses: options.addresses,
        parking,
        recorder,
        redact: options.redact,
      })
      const inbound = { receiver, connections, maxBodyBytes: limits.maxBodyBytes }
      const sse = new SseEndpoint({ ...inbound, addresses: options.addresses, maxClients: limits.maxConnections })
      const ticker = new Ticker({ receiver, connections, parking, sse, servers: options.servers })
      const server = new HttpServer({
        ...options,
        ...handlers,
        receiver,
        stream: new McpEndpoint(inbound),
        rpc: new RpcEndpoint(inbound),
        openai: new OpenAiEndpoint({
          ...options,
          sessions: options.openai,
          maxBodyBytes: limits.maxBodyBytes,
          redact: (message) => options.redact?.({ code: 0, message }).message ?? message,
        }),
        sse,
        health: healthOf,
        manifest: (origin) => facade.manifest(origin),
      })
      parts = { server, receiver, ticker }
      ticker.start()
      store.start()
      return server.start(host, port)
    },
    get running() {
      return parts?.server.running ?? 0
    },
    limitGrace: (graceMs) => parts?.server.limitGrace(graceMs),
    stop() {
      parts?.server.limitGrace(options.graceMs)
      return (stopping ??= stop())
    },
  }
}
