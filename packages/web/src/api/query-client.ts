import { QueryClient } from '@tanstack/react-query'
import { ApiProblem } from './problem.ts'

/**
 * Answers of the hub, kept by key. The first part of a key is the topic that the stream of changes names:
 * `['connectors', name]` is asked again after a change of connectors. While the stream of changes is away, what is on
 * the page is asked again every few seconds.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // What changes is announced; coming back to a page shows what is known and asks again behind it.
      staleTime: 2000,
      retry: (count, error) => count < 2 && !(error instanceof ApiProblem && error.status < 500),
      retryDelay: (attempt) => 500 * 2 ** attempt,
      refetchOnWindowFocus: true,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})
