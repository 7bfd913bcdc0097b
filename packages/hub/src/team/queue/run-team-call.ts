import { randomUUID } from 'node:crypto'
import { HubError } from '@herma/contract'
import { enterServer, type ToolResult } from '../../wire/index.ts'
import { askMember, type Attempt } from './ask-member.ts'
import { chooseMember } from '../routing/choose-member.ts'
import { explainMemberFailure, explainNobody } from './explain-failure.ts'
import { mayFallBack } from '../routing/may-fall-back.ts'
import { memberFacts } from '../routing/member-facts.ts'
import { rankMembers, type Candidate } from '../routing/rank-members.ts'
import type { QueueRequest } from './team-queue.ts'
import { toTeam, type TeamRecord } from '../team-record.ts'
import type { CallEnd } from './team-runs.ts'
import type { TeamEnvironment, TeamWork } from './team-work.ts'

/**
 * Runs a call: it enters the team, waits for its turn, goes to the member that is the right one at that moment, and on
 * to the next when that one failed without having changed anything.
 */
export async function runTeamCall(work: TeamWork, outside: TeamEnvironment): Promise<ToolResult> {
  const { id, settings } = outside.recordOf(work.team)
  const { workContext } = work
  const deadline = startDeadline(work, settings.deadlineMs)
  const attempts: Attempt[] = []
  try {
    const limit = Math.min(settings.hopLimit, work.hopLimit ?? settings.hopLimit)
    const path = enterServer(workContext.path, { hub: outside.hub, server: work.team, limit })
    const signal = AbortSignal.any([workContext.signal, deadline.signal])
    const result = await askInTurn(
      { ...work, workContext: { ...workContext, path, signal } },
      { id, outside, attempts },
    )
    outside.runs.noteEnd(id, 'ok')
    return result
  } catch (error) {
    // Who works on an aborted call fails in its own way; the caller is told why it was aborted.
    const cause: unknown = deadline.signal.aborted && !workContext.signal.aborted ? deadline.signal.reason : error
    noteFailure(cause, work, { id, outside, attempts })
    throw cause
  } finally {
    deadline.clear()
  }
}

interface CallOptions {
  /** The id of the team. */
  readonly id: string
  readonly outside: TeamEnvironment
  /** Members that were asked so far. */
  readonly attempts: Attempt[]
}

async function askInTurn(work: TeamWork, parts: CallOptions): Promise<ToolResult> {
  const { workContext, tool } = work
  const { id, outside, attempts } = parts
  const queue = outside.runs.queueOf(id)
  if (queue === undefined) throw new HubError('HUB_NOT_RUNNING', 'The hub is stopping. Try again when it runs.')
  let chosen: Candidate | null = null
  const request = (): QueueRequest => ({
    kind: kindOf(work, attempts),
    choose(runningOf) {
      chosen = choose(work, parts, runningOf)
      return chosen?.sessionId ?? null
    },
  })
  const { principal, traceId } = workContext
  const entered = queue.enter({
    ...request(),
    about: { id: randomUUID(), tool, principal: principal.id, traceId, since: Date.now() },
    signal: workContext.signal,
    onPosition(before) {
      outside.events.touch('team')
      workContext.progress(0, undefined, describePosition(before))
    },
  })
  const place = await entered.finally(() => outside.events.touch('team'))
  try {
    for (;;) {
      const { result, attempt } = await askMember(chosen!, work, parts)
      attempts.push(attempt)
      if (result !== null) return result
      if (!mayFallBack(attempt.error, outside.sessions.hadEffect)) throw explainMemberFailure(attempt, outside.sessions)
      await place.move(request())
      outside.runs.noteFallback(id)
    }
  } finally {
    place.leave()
    outside.events.touch('team')
  }
}

/** Null = it has to wait. */
function choose(
  work: TeamWork,
  { outside, attempts }: CallOptions,
  runningOf: (sessionId: string) => number,
): Candidate | null {
  const record = outside.recordOf(work.team)
  if (!record.settings.enabled) throw disabled(record)
  const { path } = work.workContext
  const ranking = rankMembers({
    ...work,
    rule: ruleOf(work, record, outside),
    hasPlace: record.settings.workingDir !== null || saysWhere(work),
    members: memberFacts(record, outside.sessions, runningOf),
    path,
    hub: outside.hub,
  })
  const choice = chooseMember(ranking, new Set(attempts.map(({ candidate }) => candidate.sessionId)))
  if (choice === null) throw explainNobody({ work, ranking, attempts, path })
  return choice === 'wait' ? null : choice
}

function saysWhere({ fields }: TeamWork): boolean {
  return fields['cwd'] !== undefined || fields['workspace_uri'] !== undefined
}

function ruleOf({ tool, prefer }: TeamWork, record: TeamRecord, { sessions }: TeamEnvironment) {
  if (prefer !== null) return { prefer: [...prefer], fallback: [] }
  const { routing } = toTeam(record, sessions)
  return routing[tool as keyof typeof routing] ?? { prefer: [], fallback: [] }
}

/** Calls of one kind choose alike. A way that leads over other sessions leaves other members to choose from. */
function kindOf(work: TeamWork, attempts: readonly Attempt[]): string {
  const { tool, ability, role, only, prefer, workContext } = work
  const tried = attempts.map(({ candidate }) => candidate.sessionId)
  return JSON.stringify([tool, ability, role, only, prefer, saysWhere(work), workContext.path.entries, tried])
}

function startDeadline({ team, tool }: TeamWork, deadlineMs: number) {
  const controller = new AbortController()
  const text = `${tool} was not done within ${deadlineMs} ms, the deadline of team '${team}', waiting included. Raise deadlineMs, or ask for less.`
  const timer = setTimeout(() => controller.abort(new HubError('DEADLINE_PASSED', text)), deadlineMs)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

const ends: Readonly<Partial<Record<string, CallEnd>>> = {
  QUEUE_FULL: 'queue-full',
  CALL_CYCLE: 'cycle',
  HOP_LIMIT: 'hop-limit',
  DEADLINE_PASSED: 'deadline',
  NO_MEMBER: 'no-member',
}

function noteFailure(error: unknown, work: TeamWork, { id, outside, attempts }: CallOptions): void {
  const { team, tool, workContext } = work
  const code = error instanceof HubError ? error.code : 'INTERNAL'
  const wasAsked = attempts.length > 0
  const early = wasAsked && code !== 'DEADLINE_PASSED' ? undefined : ends[code]
  outside.runs.noteEnd(id, workContext.signal.aborted ? 'cancelled' : (early ?? 'error'))
  if (wasAsked || workContext.signal.aborted || !(error instanceof HubError)) return
  const { traceId, spanId: parentId, principal } = workContext
  const data = { team, tool, because: error.message, details: error.data ?? null }
  const context = { traceId, parentId, principal: principal.id, server: team, target: tool, errorCode: code } as const
  outside.events.emit('team.refused', null, data, { ...context, outcome: 'refused' })
}

function describePosition(before: number): string {
  if (before === 0) return 'Waiting: next in line.'
  return before === 1 ? 'Waiting: 1 call before this one.' : `Waiting: ${before} calls before this one.`
}

function disabled({ name, problem }: TeamRecord): HubError {
  return new HubError('FORBIDDEN', problem ?? `Team '${name}' is disabled. Enable it: herma team enable ${name}`)
}
