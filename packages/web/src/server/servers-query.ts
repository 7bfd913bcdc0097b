import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** How every server is, by its name. */
export const serverHealthQuery = queryOptions({
  queryKey: ['servers', 'health'],
  queryFn: async ({ signal }) => {
    const { servers } = await api.listServerHealth({}, { signal })
    return new Map(servers.map((health) => [health.name, health]))
  },
})

/** What clients of a server list. */
export function serverToolsQuery(name: string) {
  return queryOptions({
    queryKey: ['servers', name, 'tools'],
    queryFn: async ({ signal }) => (await api.listServerTools({ name }, { signal })).tools,
  })
}

export function serverLatencyQuery(name: string, minutes: number) {
  return queryOptions({
    queryKey: ['servers', name, 'latencies', minutes],
    queryFn: ({ signal }) => api.getLatencies({ server: name, minutes }, { signal }),
  })
}
