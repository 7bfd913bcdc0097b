import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

const pageSize = 50

/** Your talks with a session, the newest first. */
export const threadsQuery = (session: string) =>
  infiniteQueryOptions({
    queryKey: ['threads', session, 'list'],
    queryFn: ({ signal, pageParam }) =>
      api.listThreads({ name: session, limit: pageSize, cursor: pageParam ?? undefined }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

/** One talk with its messages. */
export const threadQuery = (session: string, thread: string) =>
  queryOptions({
    queryKey: ['threads', session, 'one', thread],
    queryFn: ({ signal }) => api.getThread({ name: session, thread }, { signal }),
  })

/** How much you talked with each session. */
export const totalsQuery = queryOptions({
  queryKey: ['threads', 'totals'],
  queryFn: async ({ signal }) => (await api.sumThreads({}, { signal })).sessions,
})
