import type { TeamSessions } from '../ports.ts'
import { nameMembers, type NamedMember, type TeamRecord } from '../team-record.ts'

/** Why a team can do nothing at all now, and the next step; null while one of its members may be able to. */
export function findTeamProblem(record: TeamRecord, sessions: TeamSessions): string | null {
  if (record.problem !== null) return record.problem
  const { name } = record
  const members = nameMembers(record, sessions)
  if (members.length === 0) return `It has no members. Add one: herma team member add ${name}`
  const faults = members.map(whyUnable)
  if (faults.includes(null)) return null
  return `None of its members can work. ${members[0]!.session}: ${faults[0]} See all: herma team who ${name}`
}

function whyUnable({ enabled, facts }: NamedMember): string | null {
  if (!enabled) return 'it is switched off in this team.'
  if (facts === undefined) return 'its session is gone.'
  const { state, problem } = facts.health
  if (!facts.isEnabled || state === 'disabled') return 'its session is disabled.'
  if (state === 'unready') return problem ?? 'something is missing.'
  // It is still asked, and may be well again; whoever looks should know.
  return state === 'failing' ? (problem ?? 'its last turns failed.') : null
}
