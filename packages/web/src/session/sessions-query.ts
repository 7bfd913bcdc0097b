import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Every session with what it offers and how it is. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await api.listSessions({}, { signal })).sessions,
})
