import type { TeamSessions } from '../ports.ts'
import type { MemberFacts } from './rank-members.ts'
import { nameMembers, type TeamRecord } from '../team-record.ts'

/** The members of a team with what is known of them now. */
export function memberFacts(
  record: TeamRecord,
  sessions: TeamSessions,
  runningOf: (sessionId: string) => number,
): MemberFacts[] {
  return nameMembers(record, sessions).map(
    ({ session, sessionId, role, priority, enabled, maxConcurrency, facts }) => ({
      session,
      role,
      priority,
      isEnabled: enabled,
      running: runningOf(sessionId),
      limit: maxConcurrency ?? record.settings.maxConcurrency,
      facts: facts ?? null,
    }),
  )
}
