import type { OverrideState, ToolOverride } from '@herma/contract'

/** The fields that a server has a word of its own for; the others are ours alone. */
export const rebasedFields = ['title', 'description', 'annotations', 'inputSchema', 'outputSchema'] as const
export type RebasedField = (typeof rebasedFields)[number]

/** What an override was made against. */
export interface OverrideBase {
  readonly base: unknown
  readonly override: unknown
}

/**
 * Where an override stands against its server, three ways: what the field was when it was overridden, what it is now,
 * and what was put in its place.
 */
export function rebase({ base, override }: OverrideBase, original: unknown): OverrideState {
  if (isSameValue(original, override)) return 'obsolete'
  return isSameValue(base, original) ? 'kept' : 'conflicting'
}

/** The base of a field: the one that is known while the override is the same, else what the server says now. */
export function baseFor(known: OverrideBase | undefined, override: unknown, original: unknown): OverrideBase {
  return known !== undefined && isSameValue(known.override, override) ? known : { base: original ?? null, override }
}

export function overriddenFields(override: ToolOverride): RebasedField[] {
  return rebasedFields.filter((field) => override[field] !== undefined)
}

/** The order of keys means nothing; absent and null are the same here. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return canonical(a ?? null) === canonical(b ?? null)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
