import type { TeamDecision } from '@herma/contract'
import { chooseMember } from './choose-member.ts'
import type { Ranking } from './rank-members.ts'

interface Asked {
  readonly tool: string
  readonly role: string | null
  /** Whether the team itself has no place left for a call. */
  readonly isFull: boolean
}

/** Who would answer now, and why, for people. */
export function explainRanking(ranking: Ranking, { tool, role, isFull }: Asked): TeamDecision {
  const choice = chooseMember(ranking, new Set())
  const first = ranking.candidates[0]?.session ?? null
  return {
    tool,
    role,
    chosen: choice === null || choice === 'wait' ? first : choice.session,
    wouldWait: choice !== null && (choice === 'wait' || isFull),
    candidates: [
      ...ranking.candidates.map(({ session, because }) => ({ session, eligible: true, because: [...because] })),
      ...ranking.leftOut.map(({ session, because }) => ({ session, eligible: false, because: [because] })),
    ],
    warnings: [...ranking.warnings],
  }
}
