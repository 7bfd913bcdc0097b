import { z } from 'zod'
import { Principal } from './principal.ts'
import { ToolAnnotations } from '../catalog/override.ts'

const maxRules = 500

const ruleFields = {
  effect: z.enum(['allow', 'deny']).describe('A deny that matches always wins; an allow widens what a role may do.'),
  description: z.string().max(500).describe('Said to whoever is refused.'),
  when: z
    .string()
    .trim()
    .min(1)
    .max(4000)
    .describe(
      'CEL: true where the rule applies, for example: tool.startsWith("github__") && !annotations.readOnlyHint',
    ),
  enabled: z.boolean(),
}

/** A rule to be added. */
export const AccessRuleInput = z.strictObject({
  ...ruleFields,
  description: ruleFields.description.default(''),
  enabled: ruleFields.enabled.default(true),
})
export type AccessRuleInput = z.input<typeof AccessRuleInput>

/** Absent fields stay as they are. */
export const AccessRulePatch = z.strictObject(ruleFields).partial()
export type AccessRulePatch = z.infer<typeof AccessRulePatch>

export const AccessRuleView = z.object({
  id: z.string(),
  position: z.int().describe('Rules are told in this order; it decides which one is named when several match.'),
  ...ruleFields,
  problem: z.string().nullable().describe('Why it does not work: a deny then refuses, an allow does nothing.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type AccessRuleView = z.infer<typeof AccessRuleView>

export const AccessRuleOrder = z.strictObject({
  ids: z.array(z.string()).max(maxRules).describe('Every rule, once, in the new order.'),
})
export type AccessRuleOrder = z.infer<typeof AccessRuleOrder>

export const DecisionStep = z.object({
  step: z.string().describe('servers, scopes or role = what the principal was made for; otherwise the id of a rule.'),
  outcome: z
    .enum(['allows', 'denies', 'silent', 'failed', 'disabled'])
    .describe('silent = it has nothing to say about this.'),
  note: z.string(),
  values: z.record(z.string(), z.string()).describe('What the rule looked at, and what was there.'),
})
export type DecisionStep = z.infer<typeof DecisionStep>

/** Whether somebody may do something, and why. */
export const Decision = z.object({
  allowed: z.boolean(),
  why: z.string().describe('One sentence, and the next step when it is refused.'),
  rule: z.string().nullable().describe('Id of the rule that decided.'),
  missingScope: z.string().nullable().describe('The scope that a key or token would need, if that is what is missing.'),
  trail: z.array(DecisionStep).readonly().describe('Every step, when an explanation was asked for.'),
})
export type Decision = z.infer<typeof Decision>

/** Something that somebody might do. */
export const AccessQuestion = z.strictObject({
  principal: z
    .union([z.string(), Principal])
    .describe('Id of a principal (operator, user:NAME, key:NAME, client:ID), or one that is made up.'),
  server: z.string().default('facade').describe('The served server.'),
  method: z.string().default('tools/call'),
  target: z.string().default('').describe('Name of the tool or prompt, or URI of the resource.'),
  arguments: z.record(z.string(), z.unknown()).default({}),
  loopback: z.boolean().default(true).describe('Whether the request comes from the machine of the hub.'),
  annotations: ToolAnnotations.optional().describe('In place of those of the tool.'),
})
export type AccessQuestion = z.input<typeof AccessQuestion>

/** Rules to be tried on calls that were recorded, in place of those that are stored. */
export const PolicyTrial = z.strictObject({
  rules: z.array(AccessRuleInput).max(maxRules),
  limit: z.int().min(1).max(10_000).default(1000).describe('How many calls, the newest first.'),
})
export type PolicyTrial = z.input<typeof PolicyTrial>

const verdict = z.object({ allowed: z.boolean(), why: z.string() })

export const PolicyTrialReport = z.object({
  calls: z.int().describe('Recorded calls that were looked at.'),
  undecided: z.int().describe('Calls whose arguments were not recorded though a rule looks at them.'),
  unknown: z.int().describe('Calls of principals that do not exist any more.'),
  newlyRefused: z.int(),
  newlyAllowed: z.int(),
  changes: z
    .array(
      z.object({
        at: z.iso.datetime(),
        traceId: z.string().nullable(),
        principal: z.string(),
        server: z.string(),
        method: z.string(),
        target: z.string(),
        before: verdict,
        after: verdict,
      }),
    )
    .describe('The first 200 calls that would end otherwise.'),
})
export type PolicyTrialReport = z.infer<typeof PolicyTrialReport>
