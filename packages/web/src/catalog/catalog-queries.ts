import type {
  CatalogHistory,
  CompositeView,
  CostReport,
  DriftReport,
  FragmentView,
  PinReview,
  ToolDetail,
  ToolFinding,
  View,
} from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

export const costQuery = queryOptions({
  queryKey: ['catalog', 'cost'],
  queryFn: ({ signal }) => ask<CostReport>('/api/catalog/cost', { signal }),
})

export const findingsQuery = queryOptions({
  queryKey: ['catalog', 'findings'],
  queryFn: async ({ signal }) => (await ask<{ findings: ToolFinding[] }>('/api/catalog/findings', { signal })).findings,
})

export const fragmentsQuery = queryOptions({
  queryKey: ['catalog', 'fragments'],
  queryFn: async ({ signal }) =>
    (await ask<{ fragments: FragmentView[] }>('/api/catalog/fragments', { signal })).fragments,
})

export const viewsQuery = queryOptions({
  queryKey: ['catalog', 'views'],
  queryFn: async ({ signal }) => (await ask<{ views: View[] }>('/api/catalog/views', { signal })).views,
})

export const compositesQuery = queryOptions({
  queryKey: ['catalog', 'composites'],
  queryFn: async ({ signal }) =>
    (await ask<{ composites: CompositeView[] }>('/api/catalog/composites', { signal })).composites,
})

export const historyQuery = queryOptions({
  queryKey: ['catalog', 'history'],
  queryFn: ({ signal }) => ask<CatalogHistory>('/api/catalog/history?limit=20', { signal }),
})

/** Asking compares anew, which is itself a change of the catalog: its key must not be asked again for that. */
export const driftQuery = queryOptions({
  queryKey: ['drift'],
  queryFn: ({ signal }) => ask<DriftReport>('/api/catalog/drift', { signal }),
})

export function toolQuery(server: string, tool: string) {
  return queryOptions({
    queryKey: ['catalog', 'tool', server, tool],
    queryFn: ({ signal }) => ask<ToolDetail>(toolPath('tools', server, tool), { signal }),
  })
}

export function askReview(server: string, tool: string): Promise<PinReview> {
  return ask<PinReview>(toolPath('pins', server, tool))
}

export function toolPath(what: 'tools' | 'pins' | 'overrides', server: string, tool: string): string {
  return `/api/catalog/${what}/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`
}
