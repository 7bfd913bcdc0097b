import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ability, type RoutingRule, type SessionHealth } from '@herma/contract'
import { expect, test } from 'vitest'
import { chooseMember } from './routing/choose-member.ts'
import { explainRanking } from './routing/explain-ranking.ts'
import { rankMembers, type MemberFacts } from './routing/rank-members.ts'
import { teamTools } from './server/team-tools.ts'

/** A case: what is asked of whom, and what is known at that moment. Whatever is absent is as usual. */
interface Case {
  /** A tool of the team, or what team.dispatch asks for. */
  readonly tool: string
  readonly role?: string
  readonly only?: string
  readonly rule?: Partial<RoutingRule>
  /** False when neither the call nor the team says where to work. */
  readonly hasPlace?: boolean
  readonly isFull?: boolean
  readonly members: readonly CaseMember[]
  /** The way of the call so far; this hub is named `here`. */
  readonly path?: string[]
  /** Members that have failed it. */
  readonly tried?: string[]
}

interface CaseMember {
  readonly session: string
  readonly role: string
  readonly priority?: number
  readonly provider?: string
  readonly isEnabled?: boolean
  readonly isGone?: boolean
  readonly health?: SessionHealth['state']
  readonly problem?: string
  readonly latencyMs?: number
  readonly offers?: Ability[]
  readonly offersInPlace?: Ability[]
  readonly running?: number
  readonly limit?: number
}

const folder = fileURLToPath(new URL('cases', import.meta.url))
const read = (name: string, file: string) => JSON.parse(readFileSync(`${folder}/${name}/${file}`, 'utf8')) as unknown

test.each(readdirSync(folder))('%s', (name) => {
  expect(run(read(name, 'case.json') as Case)).toEqual(read(name, 'expected.json'))
})

test('the order in which members are stored changes nothing', () => {
  for (const name of readdirSync(folder)) {
    const given = read(name, 'case.json') as Case
    expect(run({ ...given, members: given.members.toReversed() })).toEqual(read(name, 'expected.json'))
  }
})

function run({ tool, rule, members, path = [], tried, hasPlace = true, isFull = false, ...asked }: Case) {
  const kind = teamTools.find(({ name }) => name === tool)
  const role = kind?.role ?? asked.role ?? null
  const ranking = rankMembers({
    ability: kind?.ability ?? Ability.parse(tool),
    role,
    only: asked.only ?? null,
    rule: { prefer: [], fallback: [], ...rule },
    hasPlace,
    members: members.map(toFacts),
    path: { requestId: 'r', entries: path },
    hub: 'here',
  })
  const { chosen, wouldWait, candidates, warnings } = explainRanking(ranking, { tool, role, isFull })
  const listed = (isEligible: boolean) =>
    candidates
      .filter(({ eligible }) => eligible === isEligible)
      .map(({ session, because }) => `${session}: ${because.join('; ')}`)
  const next = tried === undefined ? undefined : chooseMember(ranking, new Set(tried))
  return {
    chosen,
    ...(wouldWait && { wouldWait }),
    asked: listed(true),
    ...(listed(false).length > 0 && { leftOut: listed(false) }),
    ...(warnings.length > 0 && { warnings }),
    ...(next !== undefined && { next: typeof next === 'object' && next !== null ? next.session : next }),
  }
}

function toFacts(member: CaseMember): MemberFacts {
  const { session, role, priority = 1, isEnabled = true, running = 0, limit = 4 } = member
  const { health = 'healthy', problem = null, latencyMs = null, offers = Ability.options } = member
  const facts = {
    id: session,
    name: session,
    provider: member.provider ?? 'openai',
    model: 'any',
    isEnabled: health !== 'disabled',
    abilities: offers,
    abilitiesInPlace: member.offersInPlace ?? offers,
    health: { state: health, problem, latencyMs, failures: 0, lastErrorAt: null, lastUsedAt: null, running: 0 },
  }
  return { session, role, priority, isEnabled, running, limit, facts: member.isGone === true ? null : facts }
}
