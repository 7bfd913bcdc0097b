/** The candidate that a mistyped word most likely means, or undefined when none is near. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  // The part after the prefix is what people remember.
  const suffix = candidates.filter((candidate) => candidate.toLowerCase().endsWith(`__${wanted}`))
  if (suffix.length > 0) return suffix[0]
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase().slice(0, 128)) }))
    .toSorted((a, b) => a.distance - b.distance)
  return ranked[0] !== undefined && ranked[0].distance <= limit ? ranked[0].candidate : undefined
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
