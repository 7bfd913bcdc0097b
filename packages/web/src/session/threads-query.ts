import type { ThreadDetail, ThreadPage, ThreadTotals } from '@herma/contract'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

const pageSize = 50

export function threadsPath(session: string, rest = ''): string {
  return `/api/sessions/${encodeURIComponent(session)}/threads${rest}`
}

/** Your talks with a session, the newest first. */
export const threadsQuery = (session: string) =>
  infiniteQueryOptions({
    queryKey: ['threads', session, 'list'],
    queryFn: ({ signal, pageParam }) => {
      const cursor = pageParam === null ? '' : `&cursor=${encodeURIComponent(pageParam)}`
      return ask<ThreadPage>(threadsPath(session, `?limit=${pageSize}${cursor}`), { signal })
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

/** One talk with its messages. */
export const threadQuery = (session: string, thread: string) =>
  queryOptions({
    queryKey: ['threads', session, 'one', thread],
    queryFn: ({ signal }) => ask<ThreadDetail>(threadsPath(session, `/${encodeURIComponent(thread)}`), { signal }),
  })

/** How much you talked with each session. */
export const totalsQuery = queryOptions({
  queryKey: ['threads', 'totals'],
  queryFn: async ({ signal }) => (await ask<{ sessions: ThreadTotals[] }>('/api/threads', { signal })).sessions,
})
