import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'

export function teamQuery(name: string) {
  return queryOptions({
    queryKey: ['teams', name],
    queryFn: ({ signal }) => api.getTeam({ name }, { signal }),
  })
}

/** Who would answer each tool of a team now, and why. */
export function decisionsQuery(name: string) {
  return queryOptions({
    queryKey: ['teams', name, 'decisions'],
    queryFn: async ({ signal }) => (await api.decideTeamCalls({ name }, { signal })).decisions,
  })
}

/** Calls that a team works on, and those that wait. */
export function callsQuery(name: string) {
  return queryOptions({
    queryKey: ['teams', name, 'calls'],
    queryFn: async ({ signal }) => (await api.listTeamCalls({ name }, { signal })).calls,
  })
}
