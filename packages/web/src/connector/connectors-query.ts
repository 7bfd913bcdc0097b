import type {
  BundleView,
  ConnectorUses,
  ConnectorView,
  CredentialsView,
  LatencySummary,
  LogLine,
  ToolSummary,
} from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Every connector with its health. */
export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: async ({ signal }) => (await ask<{ connectors: ConnectorView[] }>('/api/connectors', { signal })).connectors,
})

export function connectorQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name],
    queryFn: ({ signal }) => ask<ConnectorView>(connectorPath(name), { signal }),
  })
}

/** Who would miss each connector, by its name. */
export const connectorUsesQuery = queryOptions({
  queryKey: ['connectors', 'uses'],
  queryFn: async ({ signal }) => {
    const { uses } = await ask<{ uses: ConnectorUses[] }>('/api/connector-uses', { signal })
    return new Map(uses.map((each) => [each.connector, each]))
  },
})

/** How long the calls of the last hour took, by connector. */
export const connectorLatenciesQuery = queryOptions({
  queryKey: ['traces', 'latencies', 'connectors'],
  queryFn: async ({ signal }) => {
    const { connectors } = await ask<LatencySummary>('/api/latencies/summary?minutes=60', { signal })
    return new Map(connectors.map((line) => [line.name, line]))
  },
})

export function connectorToolsQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name, 'tools'],
    queryFn: async ({ signal }) =>
      (await ask<{ tools: ToolSummary[] }>(connectorPath(name, '/tools'), { signal })).tools,
  })
}

export function connectorLogsQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name, 'logs'],
    queryFn: async ({ signal }) =>
      (await ask<{ lines: LogLine[] }>(connectorPath(name, '/logs?limit=1000'), { signal })).lines,
    // Lines come without any change being told.
    refetchInterval: 3000,
  })
}

/** What the one who looks has for the server of a connector. */
export function credentialsQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name, 'credentials'],
    queryFn: ({ signal }) => ask<CredentialsView>(connectorPath(name, '/credentials'), { signal }),
  })
}

export const bundlesQuery = queryOptions({
  queryKey: ['connectors', 'bundles'],
  queryFn: async ({ signal }) => (await ask<{ bundles: BundleView[] }>('/api/discovery/bundles', { signal })).bundles,
  retry: false,
})

export function connectorPath(name: string, rest = ''): string {
  return `/api/connectors/${encodeURIComponent(name)}${rest}`
}
