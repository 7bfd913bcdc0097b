import type { SessionView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Every session with what it offers and how it is. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await ask<{ sessions: SessionView[] }>('/api/sessions', { signal })).sessions,
})
