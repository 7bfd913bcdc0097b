import type { DriftReport } from '@herma/contract'
import { canonicalJson, type Descriptor } from '../../wire/index.ts'
import { diffValues } from '../pin/diff-descriptor.ts'
import { contentHash, withoutMeta } from './content-hash.ts'

export type CatalogDifference = Pick<DriftReport, 'counts' | 'missing' | 'extra' | 'changed'>

/** Of each list; the counts are of all. */
const maxTold = 1000
const maxFields = 50
/** Of all changed tools together, so that a report stays readable and small. */
const maxAllFields = 2000

/** How a list of tools differs from the intended one, by name, sorted. What Herma adds in `_meta` does not count. */
export function diffCatalogs(intended: readonly Descriptor[], live: readonly Descriptor[]): CatalogDifference {
  const [wanted, found] = [byName(intended), byName(live)]
  const missing = [...wanted.keys()].filter((name) => !found.has(name)).sort()
  const extra = [...found.keys()].filter((name) => !wanted.has(name)).sort()
  const names = [...wanted.keys()]
    .filter((name) => found.has(name) && !isEqual(wanted.get(name)!, found.get(name)!))
    .sort()
  let left = maxAllFields
  const changed = names.slice(0, maxTold).map((name) => {
    const fields = diffValues(withoutMeta(wanted.get(name)!), withoutMeta(found.get(name)!), Math.min(maxFields, left))
    left -= fields.length
    return { name, fields }
  })
  return {
    counts: { missing: missing.length, extra: extra.length, changed: names.length },
    missing: missing.slice(0, maxTold),
    extra: extra.slice(0, maxTold),
    changed,
  }
}

/** Of two with one name, clients reach the first. */
function byName(tools: readonly Descriptor[]): Map<string, Descriptor> {
  const named = new Map<string, Descriptor>()
  for (const tool of tools) {
    const name = typeof tool['name'] === 'string' ? tool['name'] : '(no name)'
    if (!named.has(name)) named.set(name, tool)
  }
  return named
}

function isEqual(a: Descriptor, b: Descriptor): boolean {
  return contentHash(a) === contentHash(b) || canonicalJson(withoutMeta(a)) === canonicalJson(withoutMeta(b))
}
