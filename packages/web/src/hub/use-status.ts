import type { HubStatus } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** How the hub itself is. The topic is that of connectors, whose changes are most of it. */
export function useStatus() {
  return useQuery({
    queryKey: ['connectors', 'status'],
    queryFn: ({ signal }) => ask<HubStatus>('/api/status', { signal }),
  })
}
