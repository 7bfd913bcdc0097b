import type { TeamView } from '@herma/contract'
import { pathOfServer } from '../wire/index.ts'
import type { TeamSessions } from './ports.ts'
import type { StoredTeam } from './store.ts'
import { nameMembers, toTeam } from './team-record.ts'
import type { TeamRuns } from './queue/team-runs.ts'
import { toolNames } from './server/team-tools.ts'

/** A team as people see it. */
export function viewTeam(
  stored: StoredTeam,
  { sessions, runs }: { readonly sessions: TeamSessions; readonly runs: TeamRuns },
): TeamView {
  const team = toTeam(stored, sessions)
  const queue = runs.queueOf(stored.id)
  return {
    ...team,
    path: pathOfServer(team.name, 'stream'),
    tools: toolNames(team),
    members: nameMembers(stored, sessions).map(({ sessionId, facts, ...member }) => ({
      ...member,
      provider: facts?.provider ?? null,
      model: facts?.model ?? null,
      health: facts?.health ?? null,
      running: queue?.runningOf(sessionId) ?? 0,
    })),
    running: queue?.running ?? 0,
    waiting: queue?.waiting ?? 0,
    problem: stored.problem,
    updatedAt: stored.updatedAt.toISOString(),
  }
}
