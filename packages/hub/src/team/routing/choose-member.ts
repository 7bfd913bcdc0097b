import type { Candidate, Ranking } from './rank-members.ts'

/** `wait` = all who could answer are busy; null = there is nobody left. */
export type MemberChoice = Candidate | 'wait' | null

/**
 * Who gets a call now: the first that is not busy and has not failed it. Fallbacks do not help out when others are
 * merely busy.
 */
export function chooseMember({ candidates }: Ranking, tried: ReadonlySet<string>): MemberChoice {
  const left = candidates.filter(({ sessionId }) => !tried.has(sessionId))
  const first = left.filter(({ isFallback }) => !isFallback)
  const asked = first.length > 0 ? first : left
  if (asked.length === 0) return null
  return asked.find(({ isBusy }) => !isBusy) ?? 'wait'
}
