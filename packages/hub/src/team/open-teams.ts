import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { HostPolicy } from '../platform/process/host-policy.ts'
import type { Signal } from '../platform/signal.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import { findTeamProblem } from './server/find-team-problem.ts'
import type { TeamPaths, TeamServer, TeamServers, TeamSessions } from './ports.ts'
import type { TeamDirectory } from './team-directory.ts'
import { TeamStore } from './store.ts'
import { Teams } from './teams.ts'
import { TeamRuns } from './queue/team-runs.ts'
import { teamServerOf } from './server/team-server-of.ts'

export interface OpenTeamsOptions {
  readonly db: NodePgDatabase
  /** To be filled with the teams that are stored. */
  readonly directory: TeamDirectory
  readonly events: Events
  /** The id of this hub in the paths of calls. */
  readonly hub: string
  readonly sessions: TeamSessions
  readonly servers: TeamServers
  readonly paths: TeamPaths
  readonly hostPolicy?: HostPolicy | undefined
  /** Sessions were added, changed or removed: who waits may be able to go on, or nobody may be left. */
  readonly sessionsChanged: Signal
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
  stop(): Promise<void>
}

/** Opens the teams, which announces them as served servers. Sessions have to be there before. */
export async function openTeams(options: OpenTeamsOptions): Promise<OpenTeams> {
  const { db, directory, sessions } = options
  const runs = new TeamRuns()
  const teams = new Teams({ ...options, store: new TeamStore(db), runs })
  await teams.start()
  options.sessionsChanged.listen(() => runs.advance())
  return {
    teams,
    metrics: runs.metrics,
    serverOf(name) {
      // A team that could not get its name must not answer for the server that has it.
      const isServed = directory.has(name) && runs.queueOf(directory.find(name).id) !== undefined
      return isServed ? teamServerOf(teams.teamOf(name), teams.environment, () => teams.teamOf(name)) : undefined
    },
    factsOf(name) {
      if (!directory.has(name)) return undefined
      const record = directory.find(name)
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
    stop: () => teams.stop(),
  }
}
