import { randomUUID } from 'node:crypto'
import {
  HubError,
  TeamInput,
  TeamMember,
  TeamMemberPatch,
  TeamPatch,
  type PathVerdict,
  type Team,
  type TeamCall,
  type TeamDecision,
  type TeamMemberInput,
  type TeamPathQuestion,
  type TeamView,
} from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { HostPolicy } from '../platform/process/host-policy.ts'
import { changedFields } from './change/changed-fields.ts'
import { checkTeam } from './change/check-team.ts'
import { requireHostFolders } from './change/require-host-folders.ts'
import { explainTeamPath } from './explain-team-path.ts'
import type { TeamPaths, TeamServers, TeamSessions } from './ports.ts'
import type { StoredTeam, TeamStore } from './store.ts'
import { TeamSettings, toRecord, toTeam, type TeamRecord } from './team-record.ts'
import type { TeamDirectory } from './team-directory.ts'
import type { TeamRuns } from './queue/team-runs.ts'
import type { TeamEnvironment } from './queue/team-work.ts'
import { decideCalls } from './decide-calls.ts'
import { viewTeam } from './view-team.ts'

export interface TeamsOptions {
  /** The id of this hub in the paths of calls. */
  readonly hub: string
  readonly directory: TeamDirectory
  readonly store: TeamStore
  readonly sessions: TeamSessions
  readonly servers: TeamServers
  readonly paths: TeamPaths
  readonly runs: TeamRuns
  readonly events: Events
  /** Says who may choose folders; absent where nobody asks. */
  readonly hostPolicy?: HostPolicy | undefined
}

const maxTeams = 100
const maxMembers = 100

/** The teams and their members: stored, announced as served servers, and found in memory by every call. */
export class Teams {
  /** What a call of a team works with. */
  readonly environment: TeamEnvironment
  readonly #options: TeamsOptions
  readonly #directory: TeamDirectory
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: TeamsOptions) {
    this.#options = options
    this.#directory = options.directory
    const { hub, sessions, runs, events } = options
    this.environment = { hub, sessions, runs, events, recordOf: (name) => this.#directory.find(name) }
  }

  async start(): Promise<void> {
    for (const stored of await this.#options.store.loadAll()) {
      try {
        this.#enter(stored)
      } catch (error) {
        // A name that was taken meanwhile is no reason for the others not to serve.
        const problem = `${(error as Error).message} Remove one of the two: herma team remove ${stored.name}`
        this.#directory.set({ ...stored, settings: { ...stored.settings, enabled: false }, problem })
      }
    }
  }

  /** Calls that wait are refused; those under way end with their clients. */
  async stop(): Promise<void> {
    await this.#turn
    this.#options.runs.closeAll(new HubError('HUB_NOT_RUNNING', 'The hub is stopping. Try again when it runs.'))
  }

  /** Throws TEAM_NOT_FOUND. */
  recordOf(name: string): StoredTeam {
    return this.#directory.find(name)
  }

  has(name: string): boolean {
    return this.#directory.has(name)
  }

  /** The team with the names that its sessions have now. */
  teamOf(name: string): Team {
    return toTeam(this.recordOf(name), this.#options.sessions)
  }

  list(): TeamView[] {
    return this.#directory.names().map((name) => this.get(name))
  }

  get(name: string): TeamView {
    return viewTeam(this.recordOf(name), this.#options)
  }

  /** What the policy of a team says about a path. */
  async explainPath(name: string, question: TeamPathQuestion): Promise<PathVerdict> {
    return explainTeamPath(this.teamOf(name), question, this.#options.paths)
  }

  /** Who would answer each tool of a team now. */
  decisions(name: string, tool: string | undefined): TeamDecision[] {
    return decideCalls(name, tool, this.environment)
  }

  /** The calls of a team that wait or are under way. */
  calls(name: string): TeamCall[] {
    const { runs, sessions } = this.#options
    return runs.calls(this.recordOf(name).id, (sessionId) => sessions.facts(sessionId)?.name ?? sessionId)
  }

  add(input: TeamInput): Promise<TeamView> {
    const team = TeamInput.parse(input)
    return this.#inTurn(async () => {
      this.#options.servers.requireFree(team.name)
      if (this.#directory.size >= maxTeams)
        throw new HubError('OVERLOADED', `There are ${maxTeams} teams, the most there can be. Remove one first.`)
      const empty = emptyRecord(team.name)
      await this.#save(team, empty).catch(async (error: unknown) => {
        // The name may have been taken while the team was written.
        await this.#options.store.remove(empty.id)
        throw error
      })
      this.#options.events.emit('team.added', null, { team: team.name, after: this.teamOf(team.name) })
      return this.get(team.name)
    })
  }

  update(name: string, patch: TeamPatch): Promise<TeamView> {
    const changes = TeamPatch.parse(patch)
    return this.#inTurn(async () => {
      const before = this.teamOf(name)
      await this.#save({ ...before, ...changes }, this.recordOf(name))
      this.#options.events.emit('team.changed', null, { team: name, ...changedFields(before, this.teamOf(name)) })
      return this.get(name)
    })
  }

  /** Calls that wait are refused; those under way go on to their end. */
  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.teamOf(name)
      const { id } = this.recordOf(name)
      await this.#options.store.remove(id)
      this.#directory.delete(name)
      this.#options.runs.close(id, new HubError('TEAM_NOT_FOUND', `Team '${name}' was removed.`))
      await this.#options.servers.withdraw(name)
      this.#options.events.emit('team.removed', null, { team: name, before })
    })
  }

  addMember(name: string, input: TeamMemberInput): Promise<TeamView> {
    const member = TeamMember.parse(input)
    return this.#changeMembers(name, 'member.added', (members) => {
      if (members.length >= maxMembers)
        throw new HubError('OVERLOADED', `Team '${name}' has ${maxMembers} members, the most. Remove one first.`)
      return { members: [...members, member], data: { session: member.session, after: member } }
    })
  }

  updateMember(name: string, session: string, patch: TeamMemberPatch): Promise<TeamView> {
    const changes = TeamMemberPatch.parse(patch)
    return this.#changeMembers(name, 'member.changed', (members) => {
      const before = findMember(members, name, session)
      const after = { ...before, ...changes }
      return {
        members: members.map((member) => (member === before ? after : member)),
        data: { session, ...changedFields(before, after) },
      }
    })
  }

  removeMember(name: string, session: string): Promise<TeamView> {
    return this.#changeMembers(name, 'member.removed', (members) => {
      const before = findMember(members, name, session)
      return { members: members.filter((member) => member !== before), data: { session, before } }
    })
  }

  /** Gives the members the priorities 1, 2, 3 …; every one has to be named once. */
  order(name: string, sessions: readonly string[]): Promise<TeamView> {
    return this.#changeMembers(name, 'member.ordered', (members) => {
      const known = members.map(({ session }) => session)
      if (sessions.length !== known.length || new Set([...sessions, ...known]).size !== known.length)
        throw new HubError('INVALID_PARAMS', `Name every member once. There are: ${known.join(', ')}`)
      return {
        members: sessions.map((session, index) => ({ ...findMember(members, name, session), priority: index + 1 })),
        data: { before: known, after: sessions },
      }
    })
  }

  #changeMembers(name: string, kind: string, change: MemberChange): Promise<TeamView> {
    return this.#inTurn(async () => {
      const team = this.teamOf(name)
      const { members, data } = change(team.members)
      await this.#save({ ...team, members: [...members] }, this.recordOf(name))
      this.#options.events.emit(kind, null, { team: name, ...data })
      return this.get(name)
    })
  }

  async #save(team: Team, before: TeamRecord): Promise<void> {
    await checkTeam(team, before.settings, this.#options.paths)
    requireHostFolders(this.#options.hostPolicy, team, toTeam(before, this.#options.sessions))
    const record = toRecord(team, this.#options.sessions, before)
    const updatedAt = await this.#options.store.save(record)
    if (!this.#directory.has(team.name)) {
      this.#enter({ ...record, updatedAt })
      return
    }
    this.#directory.set({ ...record, updatedAt })
    this.#options.servers.renew()
    this.#options.runs.queueOf(record.id)?.advance()
  }

  /** Serves a team from now on. It is there before its name is, or clients would find a server without tools. */
  #enter(stored: StoredTeam): void {
    const { id, name } = stored
    const { runs, servers } = this.#options
    this.#directory.set(stored)
    runs.open(id, name, () => this.#directory.get(name)?.settings ?? stored.settings)
    try {
      servers.announce(name, 'team')
    } catch (error) {
      this.#directory.delete(name)
      runs.close(id, error)
      throw error
    }
  }

  /** Changes do not overtake each other, so that what is in memory is what was stored last. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    // Whoever asked hears of a failure; the next one in turn need not.
    this.#turn = result.catch(() => undefined)
    return result
  }
}

type MemberChange = (members: readonly TeamMember[]) => {
  readonly members: readonly TeamMember[]
  readonly data: Readonly<Record<string, unknown>>
}

function emptyRecord(name: string): TeamRecord {
  return { id: randomUUID(), name, settings: TeamSettings.parse({}), members: [], problem: null }
}

function findMember(members: readonly TeamMember[], team: string, session: string): TeamMember {
  const member = members.find((candidate) => candidate.session === session)
  if (member !== undefined) return member
  throw new HubError('MEMBER_NOT_FOUND', `'${session}' is not a member of team '${team}'. See: herma team show ${team}`)
}
