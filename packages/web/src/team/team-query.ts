import type { TeamCall, TeamDecision, TeamView } from '@herma/contract'
import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask.ts'

export function teamQuery(name: string) {
  return queryOptions({
    queryKey: ['teams', name],
    queryFn: ({ signal }) => ask<TeamView>(`/api/teams/${encodeURIComponent(name)}`, { signal }),
  })
}

/** Who would answer each tool of a team now, and why. */
export function decisionsQuery(name: string) {
  return queryOptions({
    queryKey: ['teams', name, 'decisions'],
    queryFn: async ({ signal }) => {
      const path = `/api/teams/${encodeURIComponent(name)}/decisions`
      return (await ask<{ decisions: TeamDecision[] }>(path, { signal })).decisions
    },
  })
}

/** Calls that a team works on, and those that wait. */
export function callsQuery(name: string) {
  return queryOptions({
    queryKey: ['teams', name, 'calls'],
    queryFn: async ({ signal }) => {
      const path = `/api/teams/${encodeURIComponent(name)}/calls`
      return (await ask<{ calls: TeamCall[] }>(path, { signal })).calls
    },
  })
}
