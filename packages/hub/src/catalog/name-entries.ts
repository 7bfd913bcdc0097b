import type { Collision } from '@herma/contract'
import { alternativeName, exposedName } from './exposed-name.ts'
import type { ShapedEntry } from './shaped-entry.ts'

export interface NamedEntry<T> {
  readonly entry: T
  readonly name: string
}

/** Gives every tool or prompt its name; on a clash the one that comes first keeps it. */
export function nameEntries<T extends ShapedEntry & { readonly wanted?: string }>(
  entries: readonly T[],
  kind: 'tool' | 'prompt',
): { named: NamedEntry<T>[]; collisions: Collision[] } {
  const holders = new Map<string, T>()
  const named: NamedEntry<T>[] = []
  const collisions: Collision[] = []
  for (const entry of entries) {
    const wanted = entry.wanted ?? exposedName(entry.source.prefix, entry.original)
    const holder = holders.get(wanted)
    const name =
      holder === undefined ? wanted : alternativeName(entry.source.name, entry.original, (taken) => holders.has(taken))
    if (holder !== undefined)
      collisions.push({ kind, wanted, winner: holder.source.name, loser: entry.source.name, exposedAs: name })
    holders.set(name, entry)
    named.push({ entry, name })
  }
  return { named, collisions }
}

/** URIs pass as they are, so of two the same only the first can be reached. */
export function uniqueEntries(
  entries: readonly ShapedEntry[],
  kind: 'resource' | 'resourceTemplate',
): { entries: ShapedEntry[]; collisions: Collision[] } {
  const holders = new Map<string, ShapedEntry>()
  const collisions: Collision[] = []
  for (const entry of entries) {
    const holder = holders.get(entry.original)
    if (holder === undefined) holders.set(entry.original, entry)
    else {
      const [winner, loser] = [holder.source.name, entry.source.name]
      collisions.push({ kind, wanted: entry.original, winner, loser, exposedAs: null })
    }
  }
  return { entries: [...holders.values()], collisions }
}
