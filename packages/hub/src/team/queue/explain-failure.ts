import { HubError } from '@herma/contract'
import type { CallPath } from '../../wire/index.ts'
import { describeAttempts, type Attempt } from './ask-member.ts'
import type { TeamSessions } from '../ports.ts'
import type { Ranking } from '../routing/rank-members.ts'

const maxListed = 10

/** What a caller is told when a member failed and nobody else may be asked. */
export function explainMemberFailure({ error, candidate: { session } }: Attempt, sessions: TeamSessions): unknown {
  if (!(error instanceof HubError) || !sessions.hadEffect(error)) return error
  const text = `'${session}' failed after it had changed something, so nobody else was asked: ${error.message}`
  return new HubError(error.code, text, { cause: error, data: error.data })
}

interface NobodyOptions {
  readonly work: { readonly team: string; readonly tool: string }
  readonly ranking: Ranking
  readonly attempts: readonly Attempt[]
  readonly path: CallPath
}

/** What a caller is told when there is no member, or no further one, that could be asked. */
export function explainNobody({ work: { team, tool }, ranking, attempts, path }: NobodyOptions): HubError {
  const failed = attempts.map(({ candidate: { session }, error }) => `${session} failed: ${messageOf(error)}`)
  const others = ranking.leftOut.map(({ session, because }) => `${session}: ${because}`)
  const all = [...failed, ...others]
  const listed = all.length > maxListed ? [...all.slice(0, maxListed), `and ${all.length - maxListed} more`] : all
  const next = `See: herma team who ${team}`
  if (attempts.length === 0 && ranking.leftOut.some(({ isAtWork }) => isAtWork)) {
    const way = path.entries.join(' → ')
    const text = `The call has come in a circle: ${way}. Nobody else in team '${team}' can do ${tool}: ${listed.join('; ')}. ${next}`
    return new HubError('CALL_CYCLE', text, { data: { path: path.entries, requestId: path.requestId } })
  }
  const what = attempts.length > 0 ? 'could not be done' : 'has nobody who could do it'
  const text = `${tool} of team '${team}' ${what}: ${listed.length === 0 ? 'there are no members' : listed.join('; ')}. ${next}`
  const cause = attempts.at(-1)?.error
  const code = attempts.length === 0 ? 'NO_MEMBER' : cause instanceof HubError ? cause.code : 'DOWNSTREAM_FAILED'
  return new HubError(code, text, { cause, data: { tried: describeAttempts(attempts) } })
}

/** What went wrong inside of the hub is in its log, not for callers. */
function messageOf(error: unknown): string {
  return error instanceof HubError ? error.message.replace(/\.$/, '') : 'an error inside of the hub'
}
