import { HubError, type Ability } from '@herma/contract'
import type { WorkContext, ToolResult } from '../../wire/index.ts'
import { offeredAbilities } from '../offered-abilities.ts'
import type { StoredSession } from '../store.ts'
import { hasPlace } from '../work/open-place.ts'
import type { WorkEnvironment } from '../work/work-environment.ts'
import type { WorkPlace } from '../work/types.ts'
import { abilities } from './abilities.ts'
import type { AbilityAnswer } from './ability-tool.ts'
import { createJob, type Job } from './job.ts'

export interface AbilityCall {
  readonly ability: Ability
  /** Its arguments, checked by the schema of the ability. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly workContext: WorkContext
  /** What a team says about where to work. */
  readonly place?: Pick<WorkPlace, 'defaultCwd' | 'policy'> | undefined
}

/** Lets a session use one of its abilities. Rejects with a HubError, so that whoever calls may ask somebody else. */
export async function runAbility(
  session: StoredSession,
  call: AbilityCall,
  environment: WorkEnvironment,
): Promise<ToolResult> {
  const { ability, fields, workContext } = call
  const place = placeOf(fields, call.place)
  await requireOffered({ session, ability, place }, environment)
  const job = createJob({ session, ability, workContext, place, outside: environment, fields })
  return toResult(await run(ability, fields, job), job)
}

function run(name: Ability, fields: AbilityCall['fields'], job: Job) {
  // The fields were checked by the schema of this very ability.
  const tool = abilities[name] as { run(args: unknown, of: Job): Promise<AbilityAnswer<Ability>> }
  return tool.run(fields, job)
}

function placeOf(fields: AbilityCall['fields'], ofTeam: AbilityCall['place']): WorkPlace {
  const { cwd, workspace_uri: workspaceUri } = fields as { cwd?: string; workspace_uri?: string }
  return { cwd, workspaceUri, ...ofTeam }
}

async function requireOffered(
  { session, ability, place }: Pick<Job, 'session' | 'ability' | 'place'>,
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

function toResult({ text, output, work }: AbilityAnswer<Ability>, { session, workContext }: Job): ToolResult {
  const { route, because, usage, costUsd } = work
  return {
    content: [{ type: 'text', text }],
    structuredContent: output,
    _meta: { 'herma/work': { session: session.name, route, because, traceId: workContext.traceId, usage, costUsd } },
  }
}
