import { isDeepStrictEqual } from 'node:util'
import type { NamedValue } from '@herma/contract'
import type { Overrides } from './store.ts'

const fields = ['enabled', 'options', 'cwd', 'allowedTools'] as const

/** What differs between two versions of a binding. Of headers and variables only names are told. */
export function describeBindingChange(before: Overrides, after: Overrides): Record<string, unknown> {
  const changed = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  const pick = (from: Overrides) => Object.fromEntries(changed.map((field) => [field, from[field]]))
  const named = (['headers', 'env'] as const).flatMap((place) => changedNames(place, before[place], after[place]))
  return { before: pick(before), after: pick(after), ...(named.length > 0 && { values: named }) }
}

function changedNames(place: string, before: readonly NamedValue[], after: readonly NamedValue[]): string[] {
  const [old, now] = [indexByName(before), indexByName(after)]
  const names = [...new Set([...old.keys(), ...now.keys()])]
  return names.filter((name) => !isDeepStrictEqual(old.get(name), now.get(name))).map((name) => `${place}.${name}`)
}

function indexByName(list: readonly NamedValue[]): Map<string, NamedValue> {
  return new Map(list.map((each) => [each.name, each]))
}
