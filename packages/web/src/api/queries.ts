import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from './client.ts'

// What several pages ask for; what one page alone asks for stands in its folder.

/** How the hub itself is. The topic is that of connectors, whose changes are most of it. */
export function useStatus() {
  return useQuery({
    queryKey: ['connectors', 'status'],
    queryFn: ({ signal }) => api.getStatus({}, { signal }),
  })
}

/** Every connector with its health. */
export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: async ({ signal }) => (await api.listConnectors({}, { signal })).connectors,
})

/** Every session with what it offers and how it is. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await api.listSessions({}, { signal })).sessions,
})

/** Which connectors are attached to which sessions, with every value in effect. */
export const bindingsQuery = queryOptions({
  queryKey: ['bindings'],
  queryFn: async ({ signal }) => (await api.listBindings({}, { signal })).bindings,
})

/** Every server that clients can use. */
export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: async ({ signal }) => (await api.listServers({}, { signal })).servers,
})

/** Every tool there is, those that clients do not see too. */
export const toolsQuery = queryOptions({
  queryKey: ['catalog', 'tools'],
  queryFn: async ({ signal }) => (await api.listCatalogTools({ all: true }, { signal })).tools,
})

export function toolQuery(server: string, tool: string) {
  return queryOptions({
    queryKey: ['catalog', 'tool', server, tool],
    queryFn: ({ signal }) => api.getTool({ server, tool }, { signal }),
  })
}

/** Which tools are as they were approved, and which wait for a person. */
export const pinsQuery = queryOptions({
  queryKey: ['catalog', 'pins'],
  queryFn: async ({ signal }) => (await api.listPins({}, { signal })).pins,
})

export const fragmentsQuery = queryOptions({
  queryKey: ['catalog', 'fragments'],
  queryFn: async ({ signal }) => (await api.listFragments({}, { signal })).fragments,
})

export const viewsQuery = queryOptions({
  queryKey: ['catalog', 'views'],
  queryFn: async ({ signal }) => (await api.listViews({}, { signal })).views,
})

export const bundlesQuery = queryOptions({
  queryKey: ['connectors', 'bundles'],
  queryFn: async ({ signal }) => (await api.listBundles({}, { signal })).bundles,
})

export const capturesQuery = queryOptions({
  queryKey: ['settings', 'captures'],
  queryFn: async ({ signal }) => (await api.listCaptures({}, { signal })).captures,
})

export const keysQuery = queryOptions({
  queryKey: ['access', 'keys'],
  queryFn: async ({ signal }) => (await api.listKeys({}, { signal })).keys,
})

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: async ({ signal }) => (await api.listSecrets({}, { signal })).secrets,
})

export const accessSettingsQuery = queryOptions({
  queryKey: ['access', 'settings'],
  queryFn: ({ signal }) => api.getAccessSettings({}, { signal }),
})
