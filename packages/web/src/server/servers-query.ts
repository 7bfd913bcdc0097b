import type { ServerView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Every server that clients can use. */
export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: async ({ signal }) => (await ask<{ servers: ServerView[] }>('/api/servers', { signal })).servers,
})
