import type { Collision } from '@herma/contract'
import { alternativeName, exposedName } from './exposed-name.ts'
import { ShapedTool, type ShapedEntry } from './shaped-entry.ts'

/** Gives every tool or prompt its name; on a clash the one that comes first keeps it. */
export function nameEntries<T extends ShapedEntry>(
  entries: readonly T[],
  kind: 'tool' | 'prompt',
): { byName: Map<string, T>; collisions: Collision[] } {
  const byName = new Map<string, T>()
  const collisions: Collision[] = []
  for (const entry of entries) {
    const wanted = entry instanceof ShapedTool ? entry.wanted : exposedName(entry.source.prefix, entry.original)
    const holder = byName.get(wanted)
    let name = wanted
    if (holder !== undefined) {
      name = alternativeName(entry.source.name, entry.original, (taken) => byName.has(taken))
      collisions.push({ kind, wanted, winner: holder.source.name, loser: entry.source.name, exposedAs: name })
    }
    entry.rename(name)
    byName.set(name, entry)
  }
  return { byName, collisions }
}

/** URIs pass as they are, so of two the same only the first can be reached. */
export function uniqueEntries(
  entries: readonly ShapedEntry[],
  kind: 'resource' | 'resourceTemplate',
): { byUri: Map<string, ShapedEntry>; collisions: Collision[] } {
  const byUri = new Map<string, ShapedEntry>()
  const collisions: Collision[] = []
  for (const entry of entries) {
    const holder = byUri.get(entry.original)
    if (holder === undefined) byUri.set(entry.original, entry)
    else {
      const [winner, loser] = [holder.source.name, entry.source.name]
      collisions.push({ kind, wanted: entry.original, winner, loser, exposedAs: null })
    }
  }
  return { byUri, collisions }
}
