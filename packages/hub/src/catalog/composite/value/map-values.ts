import type { MappingRule } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { readPath, splitPath, writePath } from './value-path.ts'

export interface Mapped {
  readonly value: unknown
  /** Where the values should have come from that rules call required. */
  readonly missing: readonly string[]
}

/** Makes a value from another one by rules; without rules it is a copy. The rules are those of Stelae. */
export function mapValues(rules: readonly MappingRule[] | undefined, data: unknown): Mapped {
  if (rules === undefined || rules.length === 0) {
    return { value: isObject(data) ? structuredClone(data) : {}, missing: [] }
  }
  const missing: string[] = []
  let whole: unknown = {}
  for (const rule of rules) {
    const found = resolveRule(rule, data)
    if (found === 'missing') missing.push(sourceField(rule))
    if (typeof found === 'string') continue
    if (splitPath(rule.target).length === 0) {
      whole = found.value
      continue
    }
    const place: Record<string, unknown> = isObject(whole) ? whole : {}
    writePath(place, rule.target, found.value)
    whole = place
  }
  return { value: whole, missing }
}

/** The argument or field that a rule reads. */
export function sourceField(rule: MappingRule): string {
  return rule.source ?? rule.from ?? rule.target
}

/** Whether a rule gives its target the same value whatever was given. */
export function hasLiteral(rule: MappingRule): boolean {
  return (literalOf(rule) ?? null) !== null
}

function literalOf(rule: MappingRule): unknown {
  return rule.value === undefined ? rule.literal : rule.value
}

// null and absent are the same to a rule, on either side.
function resolveRule(rule: MappingRule, data: unknown): { value: unknown } | 'skip' | 'missing' {
  const found = pick(rule, data) ?? rule.default ?? null
  if (found !== null) return { value: structuredClone(found) }
  if (rule.required === true) return 'missing'
  return rule.stripIfNull === false && rule.allowNull !== false ? { value: null } : 'skip'
}

function pick(rule: MappingRule, data: unknown): unknown {
  const literal = literalOf(rule)
  if (literal !== undefined && literal !== null) return literal
  const isNullMeant = literal === null && rule.source === undefined && rule.from === undefined
  return isNullMeant ? null : readPath(data, sourceField(rule))
}
