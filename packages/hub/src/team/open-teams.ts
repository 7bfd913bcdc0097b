import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import { findTeamProblem } from './server/find-team-problem.ts'
import type { TeamPaths, TeamServer, TeamServers, TeamSessions } from './ports.ts'
import { TeamStore } from './store.ts'
import { Teams } from './teams.ts'
import { TeamRuns } from './queue/team-runs.ts'
import { teamServerOf } from './server/team-server-of.ts'

export interface OpenTeamsOptions {
  readonly db: NodePgDatabase
  readonly events: Events
  /** The id of this hub in the paths of calls. */
  readonly hub: string
  readonly sessions: TeamSessions
  readonly servers: TeamServers
  readonly paths: TeamPaths
}

interface TeamServerFacts {
  readonly description: string
  readonly enabled: boolean
  readonly problem: string | null
  /** Tools that no member would answer now. */
  readonly unanswered: readonly string[]
}

export interface OpenTeams {
  readonly teams: Teams
  readonly metrics: readonly Metric[]
  /** The team that is served under this name. */
  serverOf(name: string): TeamServer | undefined
  /** How a team is, for those who list served servers. */
  factsOf(name: string): TeamServerFacts | undefined
  /** Names of the teams that a session is a member of. */
  teamsOf(sessionId: string): string[]
  hopLimitOf(sessionId: string): number | null
  /** To be called when sessions were added, changed or removed: who waits may be able to go on, or nobody may be left. */
  onSessionsChanged(): void
  stop(): Promise<void>
}

/** Opens the teams, which announces them as served servers. Sessions have to be there before. */
export async function openTeams({ db, events, hub, sessions, servers, paths }: OpenTeamsOptions): Promise<OpenTeams> {
  const runs = new TeamRuns()
  const teams = new Teams({ hub, store: new TeamStore(db), sessions, servers, paths, runs, events })
  await teams.start()
  return {
    teams,
    metrics: runs.metrics,
    serverOf(name) {
      // A team that could not get its name must not answer for the server that has it.
      const isServed = teams.has(name) && runs.queueOf(teams.recordOf(name).id) !== undefined
      return isServed ? teamServerOf(teams.teamOf(name), teams.environment, () => teams.teamOf(name)) : undefined
    },
    factsOf(name) {
      if (!teams.has(name)) return undefined
      const record = teams.recordOf(name)
      const { description, enabled } = record.settings
      return {
        description,
        enabled,
        // Every request asks whether a team is enabled; few ask how its members are.
        get problem() {
          return findTeamProblem(record, sessions)
        },
        get unanswered() {
          return teams.decisions(name, undefined).flatMap(({ tool, chosen }) => (chosen === null ? [tool] : []))
        },
      }
    },
    teamsOf: (sessionId) => teams.teamsOf(sessionId),
    hopLimitOf: (sessionId) => teams.hopLimitOf(sessionId),
    onSessionsChanged: () => runs.advance(),
    stop: () => teams.stop(),
  }
}
