/** A match with what it is worth. */
export interface RankedMatch {
  readonly path: string
  readonly rank: number
  /** Zero for a file whose name matches and nothing in it. */
  readonly line: number
}

/** Keeps the best of any number of matches; which ones does not depend on the order in which they come. */
export class BestMatches<Match extends RankedMatch> {
  readonly #limit: number
  #kept: Match[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(match: Match): void {
    this.#kept.push(match)
    if (this.#kept.length >= 4 * this.#limit + 100) this.#kept = this.best()
  }

  best(): Match[] {
    return this.#kept.toSorted(compare).slice(0, this.#limit)
  }
}

function compare(a: RankedMatch, b: RankedMatch): number {
  if (a.rank !== b.rank) return b.rank - a.rank
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.line - b.line
}
