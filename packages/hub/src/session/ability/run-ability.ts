import { abilitySchemas, HubError, type Ability } from '@herma/contract'
import type { WorkContext, ToolResult } from '../../wire/index.ts'
import { offeredAbilities } from '../offered-abilities.ts'
import type { StoredSession } from '../store.ts'
import { hasPlace } from '../work/open-place.ts'
import type { WorkEnvironment } from '../work/work-environment.ts'
import type { WorkPlace } from '../work/types.ts'
import { abilities } from './abilities.ts'
import type { AbilityAnswer } from './ability-tool.ts'
import { createJob } from './job.ts'

export interface AbilityCall {
  readonly session: StoredSession
  readonly ability: Ability
  readonly args: Readonly<Record<string, unknown>>
  readonly workContext: WorkContext
  /** What a team says about where to work. */
  readonly place?: Pick<WorkPlace, 'defaultCwd' | 'policy'> | undefined
}

/** Lets a session use one of its abilities. Rejects with a HubError, so that whoever calls may ask somebody else. */
export async function runAbility(call: AbilityCall, outside: WorkEnvironment): Promise<ToolResult> {
  const { session, ability, workContext } = call
  const fields = parseArguments(ability, call.args)
  const place = placeOf(fields, call.place)
  await requireOffered(call, place, outside)
  const job = createJob({ session, ability, workContext, place, outside, fields })
  return toResult(await run(ability, fields, job), call)
}

function run(name: Ability, fields: Record<string, unknown>, job: ReturnType<typeof createJob>) {
  // The fields were checked by the schema of this very ability.
  const tool = abilities[name] as { run(args: unknown, of: typeof job): Promise<AbilityAnswer<Ability>> }
  return tool.run(fields, job)
}

function parseArguments(ability: Ability, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const parsed = abilitySchemas[ability].input.safeParse(args)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  throw new HubError('INVALID_PARAMS', `${ability} cannot be called like this. ${problems.join('; ')}`)
}

function placeOf(fields: Record<string, unknown>, ofTeam: AbilityCall['place']): WorkPlace {
  const { cwd, workspace_uri: workspaceUri } = fields as { cwd?: string; workspace_uri?: string }
  return { cwd, workspaceUri, ...ofTeam }
}

async function requireOffered(
  { session, ability }: AbilityCall,
  place: WorkPlace,
  { bindingsOf, tools }: WorkEnvironment,
): Promise<void> {
  if (!session.enabled) {
    throw new HubError('SESSION_UNREADY', `'${session.name}' is disabled. Run: herma session enable ${session.name}`)
  }
  const isSearch = ability === 'search.web'
  const bound = isSearch ? bindingsOf(session.id) : []
  const lists = await Promise.all(
    // A server that does not answer offers nothing; whether that matters is seen below.
    bound.map(({ connector }) => tools.boundTools({ sessionId: session.id, connector }).catch(() => [])),
  )
  const facts = { boundTools: lists.flat().map(({ name }) => name), hasPlace: hasPlace(session, place) }
  const offered = offeredAbilities(session, facts)
  if (offered.includes(ability)) return
  const list = offered.length === 0 ? 'nothing' : offered.join(', ')
  const text = `'${session.name}' does not offer ${ability}; it offers ${list}. See: herma session show ${session.name}`
  throw new HubError('TOOL_NOT_FOUND', text)
}

function toResult({ text, output, work }: AbilityAnswer<Ability>, { session, workContext }: AbilityCall): ToolResult {
  const { route, because, usage, costUsd } = work
  return {
    content: [{ type: 'text', text }],
    structuredContent: output,
    _meta: { 'herma/work': { session: session.name, route, because, traceId: workContext.traceId, usage, costUsd } },
  }
}
