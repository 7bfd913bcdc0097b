import type { MappingRule } from '@herma/contract'
import { isObject, type Descriptor } from '../../../wire/index.ts'
import { requiredKeys } from './schema-type.ts'
import { holdsAnyObject, holdsAnyText } from './structured-content.ts'
import { splitPath } from './value-path.ts'

type Schema = Record<string, unknown>

/** One way in which a composite may answer. */
export interface AnswerSource {
  /** For notes: operation 'read'. */
  readonly label: string
  /** The keys that its structured content will have; undefined when it may have none at all. */
  readonly keys: readonly string[] | undefined
}

/**
 * The output schema that a composite may honestly declare, for a strict client refuses every result that breaks it. It
 * is left out when some answer may come without the structured content that it wants.
 */
export function honestOutputSchema(
  declared: Schema | null | undefined,
  sources: readonly AnswerSource[],
): { schema: Schema | undefined; notes: string[] } {
  if (declared === undefined || declared === null) return { schema: undefined, notes: [] }
  if (declared['type'] !== 'object') {
    const type = JSON.stringify(declared['type']) ?? 'none'
    return without(`its type is ${type}, and clients before 2026-07-28 know only "object"`)
  }
  if (holdsAnyText(declared)) return { schema: declared, notes: [] }
  const required = requiredKeys(declared)
  for (const { label, keys } of sources) {
    if (keys === undefined) return without(`${label} may give no structured content`)
    if (holdsAnyObject(declared)) continue
    const missing = keys.includes('$') ? undefined : required.find((key) => !keys.includes(key))
    if (missing !== undefined) return without(`${label} gives no '${missing}'`)
  }
  return { schema: declared, notes: [] }
}

/** The keys of what response mappings make; `$` stands for keys that are not known beforehand. */
export function mappedKeys(rules: readonly MappingRule[]): string[] {
  return rules.map((rule) => splitPath(rule.target)[0] ?? '$')
}

/** The keys that a member promises. */
export function promisedKeys(member: Descriptor | undefined): string[] | undefined {
  const schema = member?.['outputSchema']
  return isObject(schema) && schema['type'] === 'object' ? requiredKeys(schema) : undefined
}

function without(reason: string): { schema: undefined; notes: string[] } {
  return { schema: undefined, notes: [`Its outputSchema is not shown to clients: ${reason}.`] }
}
