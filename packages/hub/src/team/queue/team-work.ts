import type { Ability } from '@herma/contract'
import type { Events } from '../../platform/events.ts'
import type { WorkContext } from '../../wire/index.ts'
import type { TeamSessions } from '../ports.ts'
import type { TeamRecord } from '../team-record.ts'
import type { TeamRuns } from './team-runs.ts'

/** A call of a team on its way to a member. */
export interface TeamWork {
  readonly team: string
  readonly tool: string
  readonly ability: Ability
  /** The arguments of the ability, checked. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Whose members are asked; null = those of any role. */
  readonly role: string | null
  /** The session that has to answer, when the caller says which. */
  readonly only: string | null
  /** Who is asked first, in place of the rule of the tool. */
  readonly prefer: readonly string[] | null
  /** Lower than the team's. */
  readonly hopLimit: number | null
  readonly workContext: WorkContext
}

export interface TeamEnvironment {
  /** The id of this hub in the paths of calls. */
  readonly hub: string
  readonly sessions: TeamSessions
  readonly runs: TeamRuns
  readonly events: Events
  /** Throws TEAM_NOT_FOUND. */
  recordOf(team: string): TeamRecord
}
