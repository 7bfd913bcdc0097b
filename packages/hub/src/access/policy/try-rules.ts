import { setImmediate } from 'node:timers/promises'
import { AccessRuleInput, HubError, type PolicyTrialReport, type Principal } from '@herma/contract'
import type { Action } from './action.ts'
import { type CompiledRule, compileRule, mayMatch, type RuleText } from './expression/compile-rule.ts'
import { decide } from './decide.ts'
import { Meter } from './expression/meter.ts'
import { createRuleSet, type RuleSet } from './rule-set.ts'

/** A call that was recorded, as far as it was. */
export interface PastCall {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly traceId: string | null
  /** Id of the principal. */
  readonly principal: string
  readonly server: string
  readonly method: string
  readonly target: string
  readonly original?: string | undefined
  readonly connector?: string | undefined
  readonly annotations?: unknown
  /** Absent when they were not recorded. */
  readonly arguments?: unknown
  readonly loopback?: boolean
}

interface Trial {
  readonly calls: readonly PastCall[]
  readonly current: RuleSet
  readonly proposed: RuleSet
  findPrincipal(id: string): Principal | undefined | Promise<Principal | undefined>
}

const maxChanges = 200
/** Calls that are judged before others get their turn. */
const callsAtOnce = 50

/** Which recorded calls would end otherwise under other rules. */
export async function tryRules({ calls, current, proposed, findPrincipal }: Trial): Promise<PolicyTrialReport> {
  const report = { calls: calls.length, undecided: 0, unknown: 0, newlyRefused: 0, newlyAllowed: 0 }
  const changes: PolicyTrialReport['changes'] = []
  for (const [index, call] of calls.entries()) {
    if (index % callsAtOnce === 0) await setImmediate()
    const principal = await findPrincipal(call.principal)
    if (principal === undefined) {
      report.unknown += 1
      continue
    }
    const action: Action = { loopback: false, ...call, principal }
    if (call.arguments === undefined && [current, proposed].some((set) => needsArguments(set, action))) {
      report.undecided += 1
      continue
    }
    const now = new Date(call.at)
    const [before, after] = [decide(current, action, now), decide(proposed, action, now)]
    if (before.allowed === after.allowed) continue
    report[after.allowed ? 'newlyAllowed' : 'newlyRefused'] += 1
    if (changes.length < maxChanges) changes.push(describeChange(call, before, after))
  }
  return { ...report, changes }
}

/** Throws RULE_INVALID for the first that is no rule. */
export function proposeRules(inputs: readonly AccessRuleInput[]): RuleSet {
  const meter = new Meter()
  const rules = inputs
    .map((input) => AccessRuleInput.parse(input))
    .flatMap((rule, index) => (rule.enabled ? [compileProposed({ id: `#${index + 1}`, ...rule }, meter)] : []))
  return createRuleSet(rules, { meter })
}

function compileProposed(rule: RuleText, meter: Meter): CompiledRule {
  try {
    return compileRule(rule, meter)
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    throw new HubError(error.code, `Proposed rule ${rule.id}: ${error.message}`, { cause: error, data: error.data })
  }
}

function needsArguments({ rules }: RuleSet, action: Action): boolean {
  return rules.some((rule) => rule.usesArguments && mayMatch(rule, action))
}

type Verdict = PolicyTrialReport['changes'][number]['before']

function describeChange(call: PastCall, before: Verdict, after: Verdict): PolicyTrialReport['changes'][number] {
  const { at, traceId, principal, server, method, target } = call
  return {
    at: new Date(at).toISOString(),
    traceId,
    principal,
    server,
    method,
    target,
    before: { allowed: before.allowed, why: before.why },
    after: { allowed: after.allowed, why: after.why },
  }
}
