import { HubError, TeamInput, TeamTool, type Team, type TeamMember } from '@herma/contract'
import { z } from 'zod'
import type { MemberSession, TeamSessions } from './ports.ts'

/** A session that a rule names is kept by its id, so that a new name does not change the rule. */
const Target = z.object({ name: z.string(), sessionId: z.string().optional() })
type Target = z.infer<typeof Target>

const StoredRouting = z.partialRecord(
  TeamTool,
  z.object({ prefer: z.array(Target).default([]), fallback: z.array(Target).default([]) }),
)

/** What is stored about a team besides its members. */
export const TeamSettings = TeamInput.omit({ name: true, members: true }).extend({ routing: StoredRouting.default({}) })
export type TeamSettings = z.output<typeof TeamSettings>

export interface MemberRecord extends Omit<TeamMember, 'session'> {
  readonly sessionId: string
  /** What the session was called when this was written. */
  readonly sessionName: string
}

/** A team as it is stored: sessions by their ids. */
export interface TeamRecord {
  readonly id: string
  readonly name: string
  readonly settings: TeamSettings
  readonly members: readonly MemberRecord[]
  /** Why the stored row cannot serve. */
  readonly problem: string | null
}

/** A member with the name that its session has now. */
export interface NamedMember extends TeamMember {
  readonly sessionId: string
  /** Undefined when the session is gone. */
  readonly facts: MemberSession | undefined
}

/** In the order of priority. */
export function nameMembers({ members }: TeamRecord, sessions: TeamSessions): NamedMember[] {
  return members
    .map(({ sessionName, ...member }) => {
      const facts = sessions.facts(member.sessionId)
      return { session: facts?.name ?? sessionName, ...member, facts }
    })
    .toSorted((a, b) => a.priority - b.priority || (a.session < b.session ? -1 : 1))
}

/** The team as the contract has it. */
export function toTeam(record: TeamRecord, sessions: TeamSessions): Team {
  const { name, settings } = record
  const nameOf = ({ name: last, sessionId }: Target) =>
    (sessionId === undefined ? undefined : sessions.facts(sessionId)?.name) ?? last
  const routing: Team['routing'] = {}
  for (const tool of TeamTool.options) {
    const rule = settings.routing[tool]
    if (rule !== undefined) routing[tool] = { prefer: rule.prefer.map(nameOf), fallback: rule.fallback.map(nameOf) }
  }
  const members = nameMembers(record, sessions).map(({ sessionId: _, facts: __, ...member }) => member)
  return { name, ...settings, routing, members }
}

/** What to store for a team. Throws for a member that is no session, or is named twice. */
export function toRecord(team: Team, sessions: TeamSessions, before: TeamRecord): TeamRecord {
  const { name, members, routing, ...settings } = team
  // The session of a member may be gone, and another may have got its name since: who is a member stays one.
  const known = new Map(nameMembers(before, sessions).map(({ session, sessionId }) => [session, sessionId]))
  const idOf = (session: string) => known.get(session) ?? sessions.byName(session)?.id
  const target = (named: string): Target => {
    const sessionId = idOf(named)
    return { name: named, ...(sessionId !== undefined && { sessionId }) }
  }
  const stored: TeamSettings['routing'] = {}
  for (const tool of TeamTool.options) {
    const rule = routing[tool]
    if (rule !== undefined) stored[tool] = { prefer: rule.prefer.map(target), fallback: rule.fallback.map(target) }
  }
  const seen = new Set<string>()
  return {
    id: before.id,
    name,
    settings: { ...settings, routing: stored },
    members: members.map(({ session, ...member }) => {
      const sessionId = idOf(session)
      if (sessionId === undefined)
        throw new HubError('SESSION_NOT_FOUND', `No session is named '${session}'. See: herma session list`)
      if (seen.has(sessionId))
        throw new HubError('MEMBER_EXISTS', `'${session}' is a member of team '${name}' already. Name it once.`)
      seen.add(sessionId)
      return { sessionId, sessionName: session, ...member }
    }),
    problem: null,
  }
}
