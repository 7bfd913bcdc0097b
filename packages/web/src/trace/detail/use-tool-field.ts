import type { EventView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { toolQuery, toolsQuery } from '../../api/queries.ts'

/** What clients see of the tool that was called; null when the catalog does not know it. */
export function useToolField(event: EventView | undefined, field: 'inputSchema' | 'annotations'): unknown {
  const target = event?.target
  const isTool = event?.method === 'tools/call'
  const { data: tools } = useQuery({ ...toolsQuery, enabled: isTool })
  const tool = isTool ? tools?.find(({ name }) => name === target) : undefined
  const { data: detail } = useQuery({
    ...toolQuery(tool?.connector ?? '', tool?.originalName ?? ''),
    enabled: tool !== undefined,
  })
  return detail?.fields.find((each) => each.field === field)?.exposed ?? null
}
