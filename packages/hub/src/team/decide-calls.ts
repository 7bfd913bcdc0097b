import { Ability, HubError, TeamTool, type TeamDecision } from '@herma/contract'
import { explainRanking } from './routing/explain-ranking.ts'
import { memberFacts } from './routing/member-facts.ts'
import { rankMembers } from './routing/rank-members.ts'
import { toTeam } from './team-record.ts'
import { teamTools } from './server/team-tools.ts'
import type { TeamEnvironment } from './queue/team-work.ts'

const comesFromNowhere = { requestId: '', entries: [] }

/** Who would answer each tool of a team now; of one tool, or one ability of members, when it is named. */
export function decideCalls(name: string, tool: string | undefined, outside: TeamEnvironment): TeamDecision[] {
  const record = outside.recordOf(name)
  const { routing } = toTeam(record, outside.sessions)
  const queue = outside.runs.queueOf(record.id)
  const off = record.settings.enabled ? [] : [record.problem ?? `Team '${name}' is disabled and answers no calls.`]
  return askedFor(tool).map((asked) => {
    const ranking = rankMembers({
      ability: asked.ability,
      role: asked.role,
      only: null,
      hasPlace: record.settings.workingDir !== null,
      rule: (asked.isRuled ? routing[asked.name as TeamTool] : undefined) ?? { prefer: [], fallback: [] },
      members: memberFacts(record, outside.sessions, (id) => queue?.runningOf(id) ?? 0),
      path: comesFromNowhere,
      hub: outside.hub,
    })
    const decision = explainRanking(ranking, { tool: asked.name, role: asked.role, isFull: queue?.isFull ?? false })
    return { ...decision, warnings: [...off, ...decision.warnings] }
  })
}

interface Asked {
  readonly name: string
  readonly ability: Ability
  readonly role: string | null
  readonly isRuled: boolean
}

function askedFor(tool: string | undefined): Asked[] {
  const all = teamTools.map(({ name, ability, role }) => ({ name, ability, role, isRuled: true }))
  if (tool === undefined) return all
  const known = all.filter(({ name }) => name === tool)
  if (known.length > 0) return known
  const ability = Ability.safeParse(tool)
  if (ability.success) return [{ name: tool, ability: ability.data, role: null, isRuled: false }]
  const names = [...TeamTool.options, ...Ability.options].join(', ')
  throw new HubError('TOOL_NOT_FOUND', `A team has no tool '${tool}'. There are: ${names}`)
}
