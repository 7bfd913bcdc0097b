import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** How the hub itself is. The topic is that of connectors, whose changes are most of it. */
export function useStatus() {
  return useQuery({
    queryKey: ['connectors', 'status'],
    queryFn: ({ signal }) => api.getStatus({}, { signal }),
  })
}
