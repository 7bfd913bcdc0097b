import type { Collision } from '@herma/contract'
import { alternativeName, ownSpelling } from './exposed-name.ts'
import type { ShapedEntry } from './shaped-entry.ts'

export interface NamedEntries<T extends ShapedEntry> {
  readonly byName: Map<string, T>
  /** Those that their servers spell differently: by that spelling, where nothing else has it for a name. */
  readonly bySpelling: Map<string, T[]>
  readonly collisions: Collision[]
}

/** Gives every tool or prompt its name; on a clash the one that comes first keeps it. */
export function nameEntries<T extends ShapedEntry>(entries: readonly T[], kind: 'tool' | 'prompt'): NamedEntries<T> {
  const byName = new Map<string, T>()
  const collisions: Collision[] = []
  for (const entry of entries) {
    const { wanted } = entry
    const holder = byName.get(wanted)
    let name = wanted
    if (holder !== undefined) {
      name = alternativeName(entry.source.name, entry.original, (taken) => byName.has(taken))
      collisions.push({ kind, wanted, winner: holder.source.name, loser: entry.source.name, exposedAs: name })
    }
    entry.rename(name)
    byName.set(name, entry)
  }
  return { byName, bySpelling: spellings(byName), collisions }
}

function spellings<T extends ShapedEntry>(byName: ReadonlyMap<string, T>): Map<string, T[]> {
  const bySpelling = new Map<string, T[]>()
  for (const [name, entry] of byName) {
    // Whoever renames a tool does not want it to have the name of before.
    if (entry.isRenamed) continue
    const spelling = ownSpelling(entry.source.prefix, entry.original)
    if (spelling === name || byName.has(spelling)) continue
    const others = bySpelling.get(spelling)
    if (others === undefined) bySpelling.set(spelling, [entry])
    else others.push(entry)
  }
  return bySpelling
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
