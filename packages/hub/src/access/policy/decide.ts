import type { Decision, DecisionStep } from '@herma/contract'
import { type Action, decision } from './action.ts'
import { baseGrant, type Grant } from './base-grant.ts'
import { type CompiledRule, mayMatch } from './expression/compile-rule.ts'
import { RuleContext, toolOf } from './expression/rule-context.ts'
import { describeRuleFailure } from './expression/rule-failure.ts'
import type { RuleSet } from './rule-set.ts'

/**
 * Whether somebody may do something. First what the principal is and was made for; then any deny that matches refuses;
 * then an allow, or the role, allows. A rule that fails is taken to mean no: a deny matches, an allow does not.
 */
export function decide(set: RuleSet, action: Action, now?: Date): Decision {
  const grant = baseGrant(action)
  if (grant.isFinal || set.rules.length === 0) return grant.decision
  let context: RuleContext | null = null
  let allowedBy: CompiledRule | null = null
  for (const rule of set.rulesFor(toolOf(action))) {
    const isNeeded = rule.effect === 'deny' || (!grant.decision.allowed && allowedBy === null)
    if (!isNeeded || !mayMatch(rule, action)) continue
    context ??= beginCheck(set, action, now)
    const { outcome, problem } = askRule(set, rule, context)
    if (outcome === 'denies' || (outcome === 'failed' && rule.effect === 'deny')) return refuse(rule, problem)
    if (outcome === 'allows') allowedBy = rule
  }
  return allowedBy === null ? grant.decision : allowBy(allowedBy)
}

/** The same decision with every step that led to it, also those that came after. */
export function explain(set: RuleSet, action: Action, now?: Date): Decision {
  const grant = baseGrant(action)
  const trail = [grantStep(grant, action)]
  for (const rule of set.rules) {
    // Each has the whole budget, so that one large rule does not hide what the next would say.
    const context = beginCheck(set, action, now)
    const { outcome, problem } = askRule(set, rule, context)
    trail.push({ step: rule.id, outcome, note: noteOf(rule, problem), values: valuesOf(rule, context) })
  }
  return { ...decide(set, action, now), trail }
}

interface Asked {
  readonly outcome: 'allows' | 'denies' | 'silent' | 'failed'
  readonly problem: string
}

const silent: Asked = { outcome: 'silent', problem: '' }
const matched = { allow: { outcome: 'allows', problem: '' }, deny: { outcome: 'denies', problem: '' } } as const

function beginCheck({ meter }: RuleSet, action: Action, now: Date = new Date()): RuleContext {
  meter.begin()
  return new RuleContext(action, now)
}

function askRule(set: RuleSet, rule: CompiledRule, context: RuleContext): Asked {
  try {
    return rule.matches(context) ? matched[rule.effect] : silent
  } catch (error) {
    const problem = describeRuleFailure(error)
    set.onFailure(rule, problem)
    return { outcome: 'failed', problem }
  }
}

function refuse({ id, description }: CompiledRule, problem: string): Decision {
  const said = description === '' ? '' : ` (${description})`
  // A rule that is only tried out is not stored, so nobody can edit it.
  const edit = id.startsWith('#') ? '' : `herma policy edit ${id}`
  const why =
    problem === ''
      ? `Rule ${id}${said} denies it.${edit && ` Whoever manages the hub can change that: ${edit}`}`
      : `Rule ${id}${said} could not be worked out (${problem}), so it denies.${edit && ` Mend it: ${edit}`}`
  return decision(false, why, { rule: id })
}

function allowBy({ id, description }: CompiledRule): Decision {
  return decision(true, `Rule ${id}${description === '' ? '' : ` (${description})`} allows it.`, { rule: id })
}

function grantStep({ decision: { allowed, why, missingScope }, isFinal }: Grant, { principal }: Action): DecisionStep {
  const step = isFinal ? (missingScope === null ? 'servers' : 'scopes') : 'role'
  const values = {
    'principal.id': principal.id,
    'principal.role': principal.role,
    'principal.scopes': principal.scopes?.join(' ') ?? 'not narrowed',
    'principal.servers': principal.servers?.join(' ') ?? 'not narrowed',
  }
  return { step, outcome: allowed ? 'allows' : 'denies', note: why, values }
}

function noteOf({ description, effect }: CompiledRule, problem: string): string {
  const name = description === '' ? effect : `${effect}: ${description}`
  return problem === '' ? name : `${name} — ${problem}`
}

const maxValueLength = 200

function valuesOf({ fields }: CompiledRule, context: RuleContext): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, showValue(readField(context, field))]))
}

function readField(context: RuleContext, field: string): unknown {
  const [variable, ...path] = field.split('.')
  let value: unknown = context[variable as keyof RuleContext]
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

function showValue(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength)}…`
}
