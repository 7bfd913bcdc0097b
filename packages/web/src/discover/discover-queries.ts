import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** The registry is asked by the hub and may be slow or away. */
const registryTimeoutMs = 60_000

export function registryQuery(query: string, registry: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['discovery', 'registry', registry ?? '', query],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      api.searchRegistry({ query, registry, cursor: pageParam ?? undefined }, { signal, timeoutMs: registryTimeoutMs }),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 300_000,
    retry: false,
  })
}

export const discoverySettingsQuery = queryOptions({
  queryKey: ['settings', 'discovery'],
  queryFn: ({ signal }) => api.getDiscoverySettings({}, { signal }),
})

/** Which of its servers are connectors already changes with the connectors. */
export const clientsQuery = queryOptions({
  queryKey: ['connectors', 'clients'],
  queryFn: async ({ signal }) => (await api.listClientConfigs({}, { signal })).clients,
})
