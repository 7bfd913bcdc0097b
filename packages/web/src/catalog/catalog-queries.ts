import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const costQuery = queryOptions({
  queryKey: ['catalog', 'cost'],
  queryFn: ({ signal }) => api.getCost({}, { signal }),
})

export const findingsQuery = queryOptions({
  queryKey: ['catalog', 'findings'],
  queryFn: async ({ signal }) => (await api.scanCatalog({}, { signal })).findings,
})

export const compositesQuery = queryOptions({
  queryKey: ['catalog', 'composites'],
  queryFn: async ({ signal }) => (await api.listComposites({}, { signal })).composites,
})

export const historyQuery = queryOptions({
  queryKey: ['catalog', 'history'],
  queryFn: ({ signal }) => api.getCatalogHistory({ limit: 20 }, { signal }),
})

/** Asking compares anew, which is itself a change of the catalog: its key must not be asked again for that. */
export const driftQuery = queryOptions({
  queryKey: ['drift'],
  queryFn: ({ signal }) => api.getDrift({}, { signal }),
})
