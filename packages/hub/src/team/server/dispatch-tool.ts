import { Ability, HubError, SessionName, TeamRole, type Team } from '@herma/contract'
import { z } from 'zod'
import { readArguments, type WorkContext, type ToolResult } from '../../wire/index.ts'
import type { TeamServerTool } from '../ports.ts'
import { runTeamCall } from '../queue/run-team-call.ts'
import { inputOf, routed, toJsonSchema } from './team-schemas.ts'
import { dispatchedAbilities, dispatchName } from './team-tools.ts'
import type { TeamEnvironment } from '../queue/team-work.ts'

/** Calls a tool of a member by its name, for those who know the team. Only what is allowed can be called. */
export function dispatchTool(team: Team, outside: TeamEnvironment, readTeam: () => Team): TeamServerTool {
  return {
    name: dispatchName,
    origin: `team ${team.name}`,
    tags: ['team'],
    descriptor: {
      name: dispatchName,
      title: 'Call a tool of a member',
      description: `Calls one of these tools of a member: ${dispatchedAbilities(team).join(', ')}. Without a target, the member with the best priority that can do it answers.`,
      inputSchema: toJsonSchema(dispatchInput(team), 'input'),
      outputSchema: toJsonSchema(DispatchOutput, 'output'),
    },
    run: (args, context) => dispatch(readTeam(), args, { outside, workContext: context.workContext() }),
  }
}

const DispatchOutput = z.strictObject({
  tool: z.string(),
  result: z.record(z.string(), z.unknown()).describe('What the tool gives by itself.'),
  ...routed,
})

type DispatchInput = z.infer<ReturnType<typeof dispatchInput>>

function dispatchInput(team: Team) {
  const allowed = dispatchedAbilities(team)
  return z.strictObject({
    target_session: SessionName.optional().describe('The member that has to answer.'),
    target_role: TeamRole.optional().describe('Whose members may answer.'),
    tool: z.enum(allowed.length > 0 ? allowed : Ability.options).describe('The tool of the member.'),
    params: z.record(z.string(), z.unknown()).describe('Its arguments.'),
    cwd: z.string().max(4096).optional().describe('Where to work, unless params says it.'),
    policy_override: z
      .strictObject({
        hop_limit: z.int().min(1).max(team.hopLimit).optional().describe('Lower than the limit of the team.'),
        prefer: z.array(z.string().min(1).max(40)).max(50).optional().describe('Sessions or providers to ask first.'),
      })
      .optional(),
  })
}

async function dispatch(
  team: Team,
  args: Record<string, unknown>,
  { outside, workContext }: { outside: TeamEnvironment; workContext: WorkContext },
): Promise<ToolResult> {
  if (dispatchedAbilities(team).length === 0)
    throw new HubError(
      'FORBIDDEN',
      `Team '${team.name}' does not allow ${dispatchName}. See: herma team show ${team.name}`,
    )
  const input = readArguments(dispatchInput(team), args, dispatchName)
  const { target_session: only = null, target_role: role = null, tool, policy_override: policy = {} } = input
  requireTargets(team, input)
  const fields = readArguments(inputOf(tool, []), withPlace(input), tool)
  const result = await runTeamCall(
    {
      team: team.name,
      tool: dispatchName,
      ability: tool,
      fields,
      role,
      only,
      prefer: policy.prefer ?? [],
      hopLimit: policy.hop_limit ?? null,
      workContext,
    },
    outside,
  )
  return toDispatched(tool, result)
}

function requireTargets(team: Team, { target_session: session, target_role: role }: DispatchInput): void {
  const isTarget = (member: Team['members'][number]) =>
    (session === undefined || member.session === session) && (role === undefined || member.role === role)
  if (team.members.some(isTarget)) return
  const wanted = [
    session === undefined ? '' : `the session '${session}'`,
    role === undefined ? '' : `the role '${role}'`,
  ]
  const text = `Team '${team.name}' has no member with ${wanted.filter((part) => part !== '').join(' and ')}.`
  const members = team.members.map((member) => `${member.session} (${member.role})`).join(', ')
  if (session !== undefined || role !== undefined)
    throw new HubError('MEMBER_NOT_FOUND', `${text} There are: ${members || 'none'}`)
}

function withPlace({ params, cwd }: DispatchInput): Record<string, unknown> {
  if (cwd === undefined) return params
  if ('cwd' in params || 'workspace_uri' in params)
    throw new HubError('INVALID_PARAMS', 'cwd: params says where to work already. Leave one of them out.')
  return { ...params, cwd }
}

function toDispatched(tool: string, result: ToolResult): ToolResult {
  const { structuredContent } = result
  if (typeof structuredContent !== 'object' || structuredContent === null) return result
  const { member, routing, ...rest } = structuredContent as Record<string, unknown>
  return { ...result, structuredContent: { tool, result: rest, member, routing } }
}
