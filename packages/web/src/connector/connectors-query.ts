import type { ConnectorView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Every connector with its health. */
export const connectorsQuery = queryOptions({
  queryKey: ['connectors'],
  queryFn: async ({ signal }) => (await ask<{ connectors: ConnectorView[] }>('/api/connectors', { signal })).connectors,
})
