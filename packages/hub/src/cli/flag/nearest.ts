import { editDistance } from '../../platform/text/edit-distance.ts'

/** The candidate that a mistyped word most likely means, or undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  // The part after the prefix is what people remember.
  const suffix = candidates.filter((candidate) => candidate.toLowerCase().endsWith(`__${wanted}`))
  if (suffix.length > 0) return suffix[0]
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase().slice(0, 128)) }))
    .toSorted((a, b) => a.distance - b.distance)
  return ranked[0] !== undefined && ranked[0].distance <= limit ? ranked[0].candidate : undefined
}
