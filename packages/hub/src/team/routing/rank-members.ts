import { ProviderKind, type Ability, type RoutingRule } from '@herma/contract'
import { isAtWork, type CallPath } from '../../wire/index.ts'
import type { MemberSession } from '../ports.ts'
import { whyNotEligible } from './why-not-eligible.ts'

/** A member, with what is known of it at this moment. */
export interface MemberFacts {
  readonly session: string
  readonly role: string
  readonly priority: number
  readonly isEnabled: boolean
  /** Calls of its team that it works on. */
  readonly running: number
  /** How many of them it may work on at once. */
  readonly limit: number
  /** Null when the session is gone. */
  readonly facts: MemberSession | null
}

export interface RankRequest {
  readonly ability: Ability
  /** Who is asked; null = members of any role. */
  readonly role: string | null
  /** The one session that may answer, when the caller says which. */
  readonly only: string | null
  readonly rule: RoutingRule
  /** Whether the call, or the team, says where to work. */
  readonly hasPlace: boolean
  readonly members: readonly MemberFacts[]
  /** How the request came to the team. */
  readonly path: CallPath
  /** The id of this hub in paths. */
  readonly hub: string
}

export interface Candidate {
  readonly session: string
  readonly sessionId: string
  readonly role: string
  readonly provider: string
  /** Only asked when nobody else can. */
  readonly isFallback: boolean
  readonly isBusy: boolean
  readonly because: readonly string[]
}

export interface LeftOutMember {
  readonly session: string
  /** It works on this very request, so that it would wait for itself. */
  readonly isAtWork: boolean
  readonly because: string
}

/** Who may answer, in the order in which they are asked, and why; and who may not, and why. */
export interface Ranking {
  readonly candidates: readonly Candidate[]
  readonly leftOut: readonly LeftOutMember[]
  readonly warnings: readonly string[]
}

interface Place {
  readonly member: MemberFacts
  readonly facts: MemberSession
  readonly hasRole: boolean
  /** Whether a rule, or the call, wants it before others or after them. */
  readonly rank: 'preferred' | 'usual' | 'fallback'
  /** Place in the list of the rule. */
  readonly index: number
  readonly because: string
}

const ranks = ['preferred', 'usual', 'fallback'] as const

/**
 * Orders the members of a team for one call: preferred ones as the rule names them, then those of the role, then
 * fallbacks as the rule names them; among equals by priority, health, latency and name. The same facts always give the
 * same order.
 */
export function rankMembers(request: RankRequest): Ranking {
  const places: Place[] = []
  const leftOut: LeftOutMember[] = []
  for (const member of request.members) {
    const { session, facts } = member
    const place = placeOf(member, request)
    const reason = place === null ? whyNotAsked(member, request) : whyNotEligible(member, request)
    if (place === null || facts === null || reason !== null) {
      leftOut.push({ session, isAtWork: false, because: reason ?? 'its session is gone' })
    } else if (isAtWork(request.path, request.hub, session)) {
      leftOut.push({ session, isAtWork: true, because: 'it works on this request already and would wait for itself' })
    } else {
      places.push({ member, facts, ...place })
    }
  }
  const candidates = places.toSorted(comparePlaces).map(toCandidate)
  return { candidates, leftOut: leftOut.toSorted(byName), warnings: findUnknownTargets(request) }
}

function placeOf(member: MemberFacts, request: RankRequest): Omit<Place, 'member' | 'facts'> | null {
  const { role, only, rule } = request
  const hasRole = role === null || member.role === role
  if (only !== null)
    return member.session === only ? { hasRole, rank: 'preferred', index: 0, because: 'the call names it' } : null
  // A provider stands for its members of the role; who prefers somebody of another role has to name the session.
  const preferred = rule.prefer.findIndex((target) => {
    const meaning = meaningOf(target, member, request)
    return meaning === 'session' || (meaning === 'provider' && hasRole)
  })
  if (preferred >= 0) {
    const said = `preferred as '${rule.prefer[preferred]}' (${preferred + 1} in the rule)`
    const because = hasRole ? said : `${said}, although its role is ${member.role}`
    return { hasRole, rank: 'preferred', index: preferred, because }
  }
  const fallback = rule.fallback.findIndex((target) => meaningOf(target, member, request) !== null)
  if (fallback >= 0) {
    const because = `fallback as '${rule.fallback[fallback]}' (${fallback + 1} in the rule)`
    return { hasRole, rank: 'fallback', index: fallback, because }
  }
  if (!hasRole) return null
  return { hasRole, rank: 'usual', index: 0, because: role === null ? 'any role may answer' : `its role is ${role}` }
}

/** What a target of a rule means to a member. Where a session has the name of a provider, the session is meant. */
function meaningOf(target: string, { session, facts }: MemberFacts, { members }: RankRequest) {
  if (target === session) return 'session'
  if (providerOf(target) !== facts?.provider || members.some((other) => other.session === target)) return null
  return 'provider'
}

/** People call two providers by the names of their models. */
const modelNames: Readonly<Record<string, string>> = { gemini: 'google', claude: 'anthropic' }

function providerOf(target: string): string {
  return Object.hasOwn(modelNames, target) ? modelNames[target]! : target
}

function whyNotAsked({ role }: MemberFacts, request: RankRequest): string {
  return request.only === null ? `its role is ${role}, not ${request.role}` : `the call wants '${request.only}'`
}

function comparePlaces(a: Place, b: Place): number {
  return (
    ranks.indexOf(a.rank) - ranks.indexOf(b.rank) ||
    a.index - b.index ||
    Number(b.hasRole) - Number(a.hasRole) ||
    a.member.priority - b.member.priority ||
    Number(isFailing(a)) - Number(isFailing(b)) ||
    latencyOf(a) - latencyOf(b) ||
    byName(a.member, b.member)
  )
}

function isFailing({ facts }: Place): boolean {
  return facts.health.state === 'failing'
}

/** One that was not measured comes first among equals, or it never would be. */
function latencyOf({ facts }: Place): number {
  return facts.health.latencyMs ?? 0
}

function byName(a: { session: string }, b: { session: string }): number {
  if (a.session === b.session) return 0
  return a.session < b.session ? -1 : 1
}

function toCandidate({ member, facts, rank, because }: Place): Candidate {
  const { session, role, priority, running, limit } = member
  const { state, latencyMs, problem } = facts.health
  const reasons = [because, `priority ${priority}`, state === 'unknown' ? 'not used so far' : state]
  if (state === 'failing' && problem !== null) reasons.push(problem)
  if (latencyMs !== null) reasons.push(`${Math.round(latencyMs)} ms on average`)
  const isBusy = running >= limit
  if (isBusy) reasons.push(`busy with ${running} of ${limit} calls`)
  const { id: sessionId, provider } = facts
  return { session, sessionId, role, provider, isFallback: rank === 'fallback', isBusy, because: reasons }
}

function findUnknownTargets({ rule, members, only }: RankRequest): string[] {
  if (only !== null && !members.some(({ session }) => session === only)) return [`'${only}' is not a member.`]
  const isKnown = (target: string) =>
    members.some(({ session, facts }) => session === target || facts?.provider === providerOf(target))
  const describe = (list: 'prefer' | 'fallback', target: string) =>
    ProviderKind.safeParse(providerOf(target)).success
      ? `${list} names the provider '${target}', which no member is on.`
      : `${list} names '${target}', which is neither a member nor a provider.`
  return (['prefer', 'fallback'] as const).flatMap((list) =>
    rule[list].filter((target) => !isKnown(target)).map((target) => describe(list, target)),
  )
}
