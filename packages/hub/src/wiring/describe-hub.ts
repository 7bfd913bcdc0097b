import type { HubStatus } from '@herma/contract'
import type { Catalog } from '../catalog/index.ts'
import { hubInfo, type Connectors } from '../downstream/index.ts'
import type { Gateway } from '../gateway/index.ts'
import type { Store } from '../platform/store/store.ts'

interface DescribedOptions {
  readonly startedAt: Date
  readonly access: { readonly publicUrl: string }
  readonly stateHome: string
  readonly store: Store
  readonly connectors: Connectors
  readonly catalog: Catalog
  readonly gateway: Gateway
}

/** How the hub is doing. */
export async function describeHub(parts: DescribedOptions): Promise<HubStatus> {
  const { store, catalog, gateway } = parts
  const { publicUrl } = parts.access
  const live = parts.connectors.entries().map(({ downstream }) => downstream)
  const health = live.map((downstream) => downstream?.health().state)
  return {
    version: hubInfo.version,
    processId: process.pid,
    startedAt: parts.startedAt.toISOString(),
    endpoint: `${publicUrl}/mcp`,
    ui: `${publicUrl}/`,
    stateHome: parts.stateHome,
    store: { kind: store.kind, healthy: await store.isHealthy() },
    connections: gateway.connectionCount,
    inFlight: gateway.inFlight,
    parked: gateway.parked,
    rssBytes: process.memoryUsage.rss(),
    counts: {
      connectors: health.length,
      ready: health.filter((state) => state === 'ready').length,
      failed: health.filter((state) => state === 'failed' || state === 'backoff').length,
      ...catalog.counts(),
    },
    collisions: catalog.collisions(),
    leftOut: live.flatMap((downstream) =>
      (downstream?.leftOut ?? []).map((problem) => ({ connector: downstream!.name, problem })),
    ),
  }
}
