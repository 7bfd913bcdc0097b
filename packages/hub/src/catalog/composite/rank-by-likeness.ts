import { editDistance } from '../../platform/text/edit-distance.ts'

/** Whoever mistypes, mistypes short words; longer ones are compared by their beginning. */
const comparedLength = 64

/** The candidates, the one that a mistyped word most likely means first; equally near ones stay in order. */
export function rankByLikeness(word: string, candidates: readonly string[]): string[] {
  const wanted = word.slice(0, comparedLength).toLowerCase()
  return candidates
    .map((candidate) => ({
      candidate,
      distance: editDistance(wanted, candidate.slice(0, comparedLength).toLowerCase()),
    }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate)
}
