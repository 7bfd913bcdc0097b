/** Whoever mistypes, mistypes short words; longer ones are compared by their beginning. */
const comparedLength = 64

/** The candidates, the one that a mistyped word most likely means first; equally near ones stay in order. */
export function rankByLikeness(word: string, candidates: readonly string[]): string[] {
  const wanted = word.slice(0, comparedLength).toLowerCase()
  return candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.slice(0, comparedLength).toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate)
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
