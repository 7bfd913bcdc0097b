import { randomBytes } from 'node:crypto'
import { HubError } from '@herma/contract'
import { handTo, type ToolResult } from '../../wire/index.ts'
import type { Candidate } from '../routing/rank-members.ts'
import type { TeamEnvironment, TeamWork } from './team-work.ts'

/** A member that was asked, and how it went. */
export interface Attempt {
  readonly candidate: Candidate
  /** `ok`, `tool-error`, or the code of the error. */
  readonly outcome: string
  readonly error: unknown
}

interface AskOptions {
  readonly outside: TeamEnvironment
  /** Those before. */
  readonly attempts: readonly Attempt[]
}

/** Hands a call to one member and records it. The attempt holds the error of a member that failed. */
export async function askMember(
  candidate: Candidate,
  work: TeamWork,
  { outside, attempts }: AskOptions,
): Promise<{ result: ToolResult | null; attempt: Attempt }> {
  const { session, sessionId, role, provider } = candidate
  const { workContext, ability, fields } = work
  const { workingDir, hasPathPolicy, paths } = outside.recordOf(work.team).settings
  const spanId = randomBytes(8).toString('hex')
  const at = Date.now()
  const begun = performance.now()
  workContext.progress(0, undefined, `'${session}' (${role}, ${provider}) works on it.`)
  let result: ToolResult | null = null
  let error: unknown = null
  try {
    result = await outside.sessions.run(sessionId, {
      ability,
      fields,
      workContext: { ...workContext, path: handTo(workContext.path, session), spanId },
      place: { defaultCwd: workingDir, ...(hasPathPolicy && { policy: paths }) },
    })
  } catch (failure) {
    error = failure
  }
  const attempt = { candidate, outcome: outcomeOf(result, error), error }
  const tried = [...attempts, attempt]
  outside.events.record({
    kind: 'team.routed',
    at,
    connector: null,
    traceId: workContext.traceId,
    spanId,
    parentId: workContext.spanId,
    principal: workContext.principal.id,
    server: work.team,
    session,
    route: provider,
    target: work.tool,
    ms: performance.now() - begun,
    outcome: eventOutcome(result, workContext.signal),
    ...(result === null && { errorCode: attempt.outcome }),
    data: { tool: work.tool, ability, chosen: session, because: candidate.because, tried: describeAttempts(tried) },
  })
  return { result: result === null ? null : withRouting(result, tried), attempt }
}

export function describeAttempts(attempts: readonly Attempt[]): { session: string; outcome: string }[] {
  return attempts.map(({ candidate: { session }, outcome }) => ({ session, outcome }))
}

/** The answer of a member, with who it was and why it was asked. */
function withRouting(result: ToolResult, attempts: readonly Attempt[]): ToolResult {
  const { session, role, provider, because } = attempts.at(-1)!.candidate
  const member = { session, role, provider }
  const routing = { because: [...because], tried: describeAttempts(attempts) }
  const { structuredContent } = result
  const isStructured = typeof structuredContent === 'object' && structuredContent !== null
  return {
    ...result,
    ...(isStructured && { structuredContent: { ...structuredContent, member, routing } }),
    _meta: { ...result._meta, 'herma/team': { member, routing } },
  }
}

function outcomeOf(result: ToolResult | null, error: unknown): string {
  if (result !== null) return result.isError === true ? 'tool-error' : 'ok'
  return error instanceof HubError ? error.code : 'INTERNAL'
}

function eventOutcome(result: ToolResult | null, { aborted }: AbortSignal) {
  if (result !== null) return result.isError === true ? 'tool-error' : 'ok'
  return aborted ? 'cancelled' : 'error'
}
