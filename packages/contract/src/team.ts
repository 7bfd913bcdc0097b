import { z } from 'zod'
import { PathPolicy, SessionHealth, SessionName } from './session/session.ts'
import { ServerName } from './server/server.ts'

/** What a member does in its team: code, test, search and planner are asked by the team's tools; others by dispatch. */
export const TeamRole = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'A role is code, test, search, planner, or a word of up to 40 of a-z, 0-9 and "-".')
export type TeamRole = z.infer<typeof TeamRole>

export const TeamTool = z.enum(['team.generate_code', 'team.run_tests', 'team.search_web', 'team.plan_task'])
export type TeamTool = z.infer<typeof TeamTool>

const targets = z
  .array(z.string().min(1).max(40))
  .max(50)
  .describe('Names of member sessions, or of providers: all members on that provider.')

/** Who is asked first, and who when nobody else can. */
export const RoutingRule = z.strictObject({ prefer: targets.default([]), fallback: targets.default([]) })
export type RoutingRule = z.infer<typeof RoutingRule>

export const DispatchSettings = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether team.dispatch is offered.'),
  allow: z
    .array(z.string().min(1).max(200))
    .max(200)
    .default([])
    .describe('Globs of the tools of members that it may call; none = nothing.'),
})
export type DispatchSettings = z.infer<typeof DispatchSettings>

const fields = {
  description: z.string().max(4000),
  enabled: z.boolean(),
  strategy: z.enum(['by_role_priority']).describe('Role, then prefer and fallback, then priority, then health.'),
  hopLimit: z.int().min(1).max(20).describe('Served servers that one request may pass, this one included.'),
  maxConcurrency: z.int().min(1).max(256).describe('Calls that the team works on at once.'),
  maxQueue: z.int().min(0).max(10_000).describe('Calls that may wait; further ones are refused.'),
  deadlineMs: z.int().min(1000).max(86_400_000).describe('Time of a call, waiting included.'),
  workingDir: z.string().max(4096).nullable(),
  hasPathPolicy: z.boolean().describe('Whether the paths below hold for its members instead of their own.'),
  paths: PathPolicy,
  routing: z.partialRecord(TeamTool, RoutingRule),
  dispatch: DispatchSettings,
}

const defaults = {
  description: fields.description.default(''),
  enabled: fields.enabled.default(true),
  strategy: fields.strategy.default('by_role_priority'),
  hopLimit: fields.hopLimit.default(3),
  maxConcurrency: fields.maxConcurrency.default(4),
  maxQueue: fields.maxQueue.default(100),
  deadlineMs: fields.deadlineMs.default(1_800_000),
  workingDir: fields.workingDir.default(null),
  hasPathPolicy: fields.hasPathPolicy.default(false),
  paths: fields.paths.prefault({}),
  routing: fields.routing.default({}),
  dispatch: fields.dispatch.prefault({}),
}

/** A session in a team. */
export const TeamMember = z.strictObject({
  session: SessionName,
  role: TeamRole,
  priority: z.int().min(1).max(1000).default(1).describe('A lower number is asked first.'),
  enabled: z.boolean().default(true),
  maxConcurrency: z.int().min(1).max(256).nullable().default(null).describe('Null = as the team has it.'),
})
export type TeamMember = z.output<typeof TeamMember>
export type TeamMemberInput = z.input<typeof TeamMember>

export const TeamMemberPatch = z
  .strictObject({
    role: TeamRole,
    priority: z.int().min(1).max(1000),
    enabled: z.boolean(),
    maxConcurrency: z.int().min(1).max(256).nullable(),
  })
  .partial()
export type TeamMemberPatch = z.infer<typeof TeamMemberPatch>

/** What a person or program sends to make a team. */
export const TeamInput = z.strictObject({
  name: ServerName,
  ...defaults,
  members: z.array(TeamMember).max(100).default([]),
})
export type TeamInput = z.input<typeof TeamInput>
/** A team with every default filled in. */
export type Team = z.output<typeof TeamInput>

/** Absent fields stay as they are. */
export const TeamPatch = z.strictObject({ ...fields, members: z.array(TeamMember).max(100) }).partial()
export type TeamPatch = z.infer<typeof TeamPatch>

export const TeamMemberView = TeamMember.extend({
  provider: z.string().nullable().describe('Null when the session is gone.'),
  model: z.string().nullable(),
  health: SessionHealth.nullable(),
  running: z.number().describe('Calls of this team that it works on.'),
})
export type TeamMemberView = z.infer<typeof TeamMemberView>

export const TeamView = TeamInput.extend({
  path: z.string().describe('Where clients of Streamable HTTP find it.'),
  tools: z.array(z.string()),
  members: z.array(TeamMemberView),
  running: z.number(),
  waiting: z.number(),
  problem: z.string().nullable().describe('Why it cannot serve, and the next step.'),
  updatedAt: z.iso.datetime(),
})
export type TeamView = z.infer<typeof TeamView>

/** Who would answer a tool of a team now, and why. */
export const TeamDecision = z.object({
  tool: z.string(),
  role: z.string().nullable(),
  chosen: z.string().nullable().describe('The member that would be asked first; null when there is none.'),
  wouldWait: z.boolean().describe('Whether a call would have to wait for its turn.'),
  candidates: z
    .array(
      z.object({
        session: z.string(),
        eligible: z.boolean(),
        because: z.array(z.string()).describe('Reasons for its place, or why it is left out.'),
      }),
    )
    .describe('In the order in which they would be asked; those that are left out come last.'),
  warnings: z.array(z.string()).describe('What the rules name although it is not there.'),
})
export type TeamDecision = z.infer<typeof TeamDecision>

/** Every member of a team once, the one to be asked first in front. */
export const TeamOrder = z.strictObject({ sessions: z.array(z.string().max(40)).max(100) })
export type TeamOrder = z.infer<typeof TeamOrder>

/** A call that a team works on, or that waits. */
export const TeamCall = z.object({
  id: z.string(),
  tool: z.string(),
  state: z.enum(['running', 'waiting']),
  session: z.string().nullable().describe('Who works on it.'),
  before: z.number().nullable().describe('Calls that wait before it.'),
  principal: z.string(),
  traceId: z.string(),
  since: z.iso.datetime(),
  ageMs: z.number(),
})
export type TeamCall = z.infer<typeof TeamCall>
