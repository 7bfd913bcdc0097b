import type { PinView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

/** Which tools are as they were approved, and which wait for a person. */
export const pinsQuery = queryOptions({
  queryKey: ['catalog', 'pins'],
  queryFn: async ({ signal }) => (await ask<{ pins: PinView[] }>('/api/catalog/pins', { signal })).pins,
})
