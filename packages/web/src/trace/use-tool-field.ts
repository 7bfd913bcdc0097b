import type { EventView, ToolDetail } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'
import { toolsQuery } from '../catalog/tools-query.ts'

/** What clients see of the tool that was called; null when the catalog does not know it. */
export function useToolField(event: EventView | undefined, field: 'inputSchema' | 'annotations'): unknown {
  const target = event?.target
  const isTool = event?.method === 'tools/call'
  const { data: tools } = useQuery({ ...toolsQuery, enabled: isTool })
  const tool = isTool ? tools?.find(({ name }) => name === target) : undefined
  const path = `/api/catalog/tools/${encodeURIComponent(tool?.connector ?? '')}/${encodeURIComponent(tool?.originalName ?? '')}`
  const { data: detail } = useQuery({
    queryKey: ['catalog', 'tool', tool?.connector, tool?.originalName],
    queryFn: ({ signal }) => ask<ToolDetail>(path, { signal }),
    enabled: tool !== undefined,
  })
  return detail?.fields.find((each) => each.field === field)?.exposed ?? null
}
