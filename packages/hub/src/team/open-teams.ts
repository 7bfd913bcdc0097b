import type { TeamCall, TeamDecision } from '@herma/contract'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { Events } from '../platform/events.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import { decideCalls } from './routing/decide-calls.ts'
import { explainTeamPath } from './explain-team-path.ts'
import { findTeamProblem } from './server/find-team-problem.ts'
import type { TeamPaths, TeamServer, TeamServers, TeamSessions } from './ports.ts'
import type { TeamService } from './api.ts'
import { TeamStore } from './store.ts'
import { Teams } from './teams.ts'
import { TeamRuns } from './queue/team-runs.ts'
import { teamServerOf } from './server/team-server-of.ts'
import type { TeamEnvironment } from './queue/team-work.ts'

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
  /** For the management API. */
  readonly service: TeamService
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
  const book = new Teams({ store: new TeamStore(db), sessions, servers, paths, runs, events })
  const outside: TeamEnvironment = { hub, sessions, runs, events, recordOf: (name) => book.recordOf(name) }
  await book.start()
  return {
    service: {
      list: () => book.list(),
      get: (name) => book.get(name),
      add: (input) => book.add(input),
      update: (name, patch) => book.update(name, patch),
      remove: (name) => book.remove(name),
      addMember: (name, member) => book.addMember(name, member),
      updateMember: (name, session, patch) => book.updateMember(name, session, patch),
      removeMember: (name, session) => book.removeMember(name, session),
      order: (name, order) => book.order(name, order),
      explainPath: async (name, question) => explainTeamPath(book.teamOf(name), question, paths),
      decisions: (name, tool): TeamDecision[] => decideCalls(name, tool, outside),
      calls: (name): TeamCall[] =>
        runs.calls(book.recordOf(name).id, (sessionId) => sessions.facts(sessionId)?.name ?? sessionId),
    },
    metrics: runs.metrics,
    serverOf(name) {
      // A team that could not get its name must not answer for the server that has it.
      const isServed = book.has(name) && runs.queueOf(book.recordOf(name).id) !== undefined
      return isServed ? teamServerOf(book.teamOf(name), outside, () => book.teamOf(name)) : undefined
    },
    factsOf(name) {
      if (!book.has(name)) return undefined
      const record = book.recordOf(name)
      const { description, enabled } = record.settings
      return {
        description,
        enabled,
        // Every request asks whether a team is enabled; few ask how its members are.
        get problem() {
          return findTeamProblem(record, sessions)
        },
        get unanswered() {
          return decideCalls(name, undefined, outside).flatMap(({ tool, chosen }) => (chosen === null ? [tool] : []))
        },
      }
    },
    teamsOf: (sessionId) => book.teamsOf(sessionId),
    hopLimitOf: (sessionId) => book.hopLimitOf(sessionId),
    onSessionsChanged: () => runs.advance(),
    stop: () => book.stop(),
  }
}
