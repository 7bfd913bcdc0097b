import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export function connectorQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name],
    queryFn: ({ signal }) => api.getConnector({ name }, { signal }),
  })
}

/** Who would miss each connector, by its name. */
export const connectorUsesQuery = queryOptions({
  queryKey: ['connectors', 'uses'],
  queryFn: async ({ signal }) => {
    const { uses } = await api.listConnectorUses({}, { signal })
    return new Map(uses.map((each) => [each.connector, each]))
  },
})

/** How long the calls of the last hour took, by connector. */
export const connectorLatenciesQuery = queryOptions({
  queryKey: ['traces', 'latencies', 'connectors'],
  queryFn: async ({ signal }) => {
    const { connectors } = await api.getLatencySummary({ minutes: 60 }, { signal })
    return new Map(connectors.map((line) => [line.name, line]))
  },
})

export function connectorToolsQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name, 'tools'],
    queryFn: async ({ signal }) => (await api.listConnectorTools({ name }, { signal })).tools,
  })
}

export function connectorLogsQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name, 'logs'],
    queryFn: async ({ signal }) => (await api.getConnectorLogs({ name, limit: 1000 }, { signal })).lines,
    // Lines come without any change being told.
    refetchInterval: 3000,
  })
}

/** What the one who looks has for the server of a connector. */
export function credentialsQuery(name: string) {
  return queryOptions({
    queryKey: ['connectors', 'one', name, 'credentials'],
    queryFn: ({ signal }) => api.getOwnCredentials({ name }, { signal }),
  })
}
