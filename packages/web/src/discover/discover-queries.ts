import type { BundleView, ClientConfigView, DiscoverySettings, RegistryPage } from '@herma/contract'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** The registry is asked by the hub and may be slow or away. */
const registryTimeoutMs = 60_000

export function registryQuery(query: string, registry: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['discovery', 'registry', registry ?? '', query],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const parameters = new URLSearchParams({ query })
      if (registry !== undefined) parameters.set('registry', registry)
      if (pageParam !== null) parameters.set('cursor', pageParam)
      return ask<RegistryPage>(`/api/discovery/registry?${parameters}`, { signal, timeoutMs: registryTimeoutMs })
    },
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 300_000,
    retry: false,
  })
}

export const discoverySettingsQuery = queryOptions({
  queryKey: ['settings', 'discovery'],
  queryFn: ({ signal }) => ask<DiscoverySettings>('/api/discovery/settings', { signal }),
})

/** Which of its servers are connectors already changes with the connectors. */
export const clientsQuery = queryOptions({
  queryKey: ['connectors', 'clients'],
  queryFn: async ({ signal }) =>
    (await ask<{ clients: ClientConfigView[] }>('/api/discovery/clients', { signal })).clients,
})

export const bundlesQuery = queryOptions({
  queryKey: ['connectors', 'bundles'],
  queryFn: async ({ signal }) => (await ask<{ bundles: BundleView[] }>('/api/discovery/bundles', { signal })).bundles,
})
