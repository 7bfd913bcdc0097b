import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Every tool there is, those that clients do not see too. */
export const toolsQuery = queryOptions({
  queryKey: ['catalog', 'tools'],
  queryFn: async ({ signal }) => (await api.listCatalogTools({ all: true }, { signal })).tools,
})
