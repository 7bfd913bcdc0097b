import type { CatalogTool } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Every tool there is, those that clients do not see too. */
export const toolsQuery = queryOptions({
  queryKey: ['catalog', 'tools'],
  queryFn: async ({ signal }) => (await ask<{ tools: CatalogTool[] }>('/api/catalog/tools?all=true', { signal })).tools,
})
