import type { HubStatus } from '@herma/contract'
import type { OpenAccess } from '../access/index.ts'
import { openBackups } from '../backup/open-backups.ts'
import type { OpenCatalog } from '../catalog/index.ts'
import { ChangeFeed } from '../change/index.ts'
import { Discoveries } from '../discovery/index.ts'
import { hubInfo } from '../downstream/index.ts'
import type { Gateway, GatewayHandlers } from '../gateway/index.ts'
import { managementName, serveManagement } from '../management/index.ts'
import { createApi } from '../platform/http/index.ts'
import { KeyRotation, secretMetrics } from '../secret/index.ts'
import type { OpenTrace } from '../trace/index.ts'
import { managementRoutes } from './management-api.ts'
import type { OpenAgents } from './agent/open-agents.ts'
import type { OpenConnectors } from './open-connectors.ts'
import type { Foundation } from './open-foundation.ts'
import { pageServices } from './page-services.ts'
import { serverInsight } from './server-insight.ts'

interface ManagementOptions extends Foundation, OpenConnectors {
  readonly keyFile?: string | undefined
  readonly opened: OpenAccess
  readonly curated: OpenCatalog
  readonly trace: OpenTrace
  readonly agents: OpenAgents
  readonly gateway: Gateway
  status(): Promise<HubStatus>
  stop(graceMs?: number): void
}

interface OpenManagement extends Pick<GatewayHandlers, 'api' | 'own'> {
  /** Clients can come now. What begins here ends before the gateway does, so that nobody waits for its streams. */
  start(): void
}

/** Everything with which people and agents manage the hub: the management API, and the server of the hub's own. */
export async function openManagement(options: ManagementOptions): Promise<OpenManagement> {
  const { lifecycle, events, log, redactor, metrics, servers, secrets, connectors, ownHub } = options
  const { opened, curated, trace, agents, gateway, status, stop, homes } = options
  const { access, policy, authority } = opened
  const discovery = new Discoveries({
    ...options,
    ...homes,
    hostPolicy: opened.hostPolicy,
    db: options.store.db,
    touches: (isolation, cmd) => options.isolator.describe({ isolation, cmd }),
    isHerma: (input) => ownHub.find(input) !== null,
  })
  await discovery.start()
  lifecycle.add(discovery)
  const changes = new ChangeFeed(events)
  const places = [
    ...options.sealedPlaces,
    options.secretStore,
    ...authority.sealedPlaces,
    ...trace.sealedPlaces,
    ...agents.sealedPlaces,
  ]
  const rotation = new KeyRotation({ ring: options.sealer, places, events, log })
  metrics.add(
    ...changes.metrics,
    ...secretMetrics(
      () => secrets.size,
      () => rotation.unopened,
    ),
  )
  const pages = pageServices({
    access,
    connectors,
    servers,
    trace,
    redactor,
    agents,
    catalog: curated,
    hidden: [homes.stateHome, ...(options.keyFile === undefined ? [] : [options.keyFile])],
    origin: () => options.address.url,
  })
  const parts = {
    ...pages,
    ...agents,
    changes,
    discovery,
    connectors,
    servers,
    access,
    policy,
    authority,
    secrets,
    signIns: options.signIns,
    credentials: options.credentials,
    catalog: curated.manager,
    traces: trace.management,
    keys: rotation,
    hub: {
      status,
      stop,
    },
    serverInsight: serverInsight({
      servers,
      scopes: curated.scopes,
      listTools: pages.listTools,
      healthOf: (server) => gateway.healthOf(server),
    }),
  }
  const routes = managementRoutes({ ...parts, backups: openBackups(parts, redactor) })
  const management = serveManagement(
    { version: hubInfo.version, connectors, discovery, status, servers: () => servers.list() },
    servers.get(managementName).path,
  )
  lifecycle.add(management)
  return {
    start() {
      changes.start()
      lifecycle.add(changes)
      rotation.start()
      lifecycle.add(rotation)
    },
    own: new Map([[managementName, (request, response, principal) => management.handle(request, response, principal)]]),
    api: createApi(routes, {
      log,
      redact: (text) => redactor.redact(text),
      authorize: (request, route) => access.authorize(request, route),
    }),
  }
}
