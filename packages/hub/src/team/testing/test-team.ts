import { randomUUID } from 'node:crypto'
import { HubError, type Team, type TeamMemberInput } from '@herma/contract'
import { Events, type HubEvent } from '../../platform/events.ts'
import type { ToolResult } from '../../wire/index.ts'
import { TeamSettings, toRecord, type TeamRecord } from '../team-record.ts'
import { TeamRuns } from '../queue/team-runs.ts'
import { teamServerOf } from '../server/team-server-of.ts'
import type { TeamEnvironment } from '../queue/team-work.ts'
import { toTeam } from '../team-record.ts'
import { ScriptedSessions, scriptedWorkContext } from './scripted-sessions.ts'

/** A team in memory whose sessions are scripted. */
export class TestTeam {
  readonly sessions = new ScriptedSessions()
  readonly runs = new TeamRuns()
  readonly seen: HubEvent[] = []
  readonly outside: TeamEnvironment
  #record: TeamRecord | null

  constructor(members: readonly (TeamMemberInput & { provider?: string })[], settings: Partial<Team> = {}) {
    const events = new Events()
    events.listen((event) => void this.seen.push(event))
    this.#record = {
      id: randomUUID(),
      name: 'alpha',
      settings: TeamSettings.parse({}),
      members: [],
      problem: null,
    }
    for (const { session, provider = 'openai' } of members) this.sessions.add(session, { provider })
    const usual = { priority: 1, enabled: true, maxConcurrency: null }
    this.change({
      ...settings,
      members: members.map(({ provider: _, ...member }) => ({ ...usual, ...member })),
    })
    this.runs.open(this.record.id, 'alpha', () => this.record.settings)
    this.outside = { hub: 'here', sessions: this.sessions, runs: this.runs, events, recordOf: () => this.record }
  }

  get record(): TeamRecord {
    if (this.#record === null) throw new HubError('TEAM_NOT_FOUND', "No team is named 'alpha'.")
    return this.#record
  }

  get team(): Team {
    return toTeam(this.record, this.sessions)
  }

  get queue() {
    return this.runs.queueOf(this.record.id)!
  }

  change(changes: Partial<Team>): void {
    this.#record = toRecord({ ...toTeam(this.record, this.sessions), ...changes }, this.sessions, this.record)
  }

  call(tool: string, args: Record<string, unknown>, workContext = scriptedWorkContext()): Promise<ToolResult> {
    const server = teamServerOf(this.team, this.outside, () => this.team)
    return server.tools.find(({ name }) => name === tool)!.run(args, { workContext: () => workContext })
  }

  generate(workContext = scriptedWorkContext(), spec = 'a clock'): Promise<ToolResult> {
    return this.call('team.generate_code', { spec }, workContext)
  }

  /** What `/metrics` says of ended calls. */
  get ends(): Record<string, number> {
    const metric = this.runs.metrics.find(({ name }) => name === 'team_calls_total')
    const samples = metric?.read() as { labels: { end: string }; value: number }[]
    return Object.fromEntries(samples.map(({ labels, value }) => [labels.end, value]))
  }
}

/** Lets everything go on that waits for nothing but its turn. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
