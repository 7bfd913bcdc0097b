import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Which tools are as they were approved, and which wait for a person. */
export const pinsQuery = queryOptions({
  queryKey: ['catalog', 'pins'],
  queryFn: async ({ signal }) => (await api.listPins({}, { signal })).pins,
})
