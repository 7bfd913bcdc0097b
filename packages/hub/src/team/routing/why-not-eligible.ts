import type { MemberFacts, RankRequest } from './rank-members.ts'

/** Why a member cannot answer at all; null when it can. */
export function whyNotEligible(
  { isEnabled, facts }: MemberFacts,
  { ability, hasPlace }: Pick<RankRequest, 'ability' | 'hasPlace'>,
): string | null {
  if (!isEnabled) return 'it is switched off in this team'
  if (facts === null) return 'its session is gone'
  const { state, problem } = facts.health
  if (!facts.isEnabled || state === 'disabled') return 'its session is disabled'
  if (state === 'unready') return `its session is not ready: ${problem ?? 'something is missing'}`
  const offered = hasPlace ? facts.abilitiesInPlace : facts.abilities
  if (offered.includes(ability)) return null
  const needsPlace = facts.abilitiesInPlace.includes(ability)
  return `it does not offer ${ability}${needsPlace ? ' unless the call or the team says where to work' : ''}`
}
