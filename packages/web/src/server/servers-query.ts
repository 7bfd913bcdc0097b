import type { LatencyReport, ServedTool, ServerHealth, ServerView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Every server that clients can use. */
export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: async ({ signal }) => (await ask<{ servers: ServerView[] }>('/api/servers', { signal })).servers,
})

/** How every server is, by its name. */
export const serverHealthQuery = queryOptions({
  queryKey: ['servers', 'health'],
  queryFn: async ({ signal }) => {
    const { servers } = await ask<{ servers: ServerHealth[] }>('/api/server-health', { signal })
    return new Map(servers.map((health) => [health.name, health]))
  },
})

/** What clients of a server list. */
export function serverToolsQuery(name: string) {
  return queryOptions({
    queryKey: ['servers', name, 'tools'],
    queryFn: async ({ signal }) => (await ask<{ tools: ServedTool[] }>(serverPath(name, '/tools'), { signal })).tools,
  })
}

export function serverLatencyQuery(name: string, minutes: number) {
  const query = new URLSearchParams({ server: name, minutes: String(minutes) })
  return queryOptions({
    queryKey: ['servers', name, 'latencies', minutes],
    queryFn: ({ signal }) => ask<LatencyReport>(`/api/latencies?${query}`, { signal }),
  })
}

export function serverPath(name: string, rest = ''): string {
  return `/api/servers/${encodeURIComponent(name)}${rest}`
}
