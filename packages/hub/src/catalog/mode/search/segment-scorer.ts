import type { BestHits } from './best-hits.ts'
import type { SearchSegment } from './search-segment.ts'

export interface QueryTerm {
  readonly id: number
  readonly weight: number
}

/** The terms that a word of the query may mean; the best of them counts. */
export interface QueryWord {
  readonly terms: readonly QueryTerm[]
}

/** Scores one segment after the other; the arrays are made once for all of them. */
export class SegmentScorer {
  readonly #words: readonly QueryWord[]
  readonly #best: BestHits
  #totals = new Float32Array(64)
  #wordScores = new Float32Array(64)
  #matched = new Uint8Array(64)
  readonly #touched: number[] = []
  readonly #hits: number[] = []

  constructor(words: readonly QueryWord[], best: BestHits) {
    this.#words = words
    this.#best = best
  }

  score(segment: SearchSegment): void {
    this.#fit(segment.keys.length)
    for (const word of this.#words) this.#addWord(segment, word)
    for (const document of this.#touched) {
      // Whoever has all the words goes before whoever has one of them often.
      const coverage = 0.4 + (0.6 * this.#matched[document]!) / this.#words.length
      this.#best.offer(segment.keys[document]!, (this.#totals[document]! * coverage) / 255)
      this.#totals[document] = 0
      this.#matched[document] = 0
    }
    this.#touched.length = 0
  }

  #addWord(segment: SearchSegment, { terms }: QueryWord): void {
    const scores = this.#wordScores
    const hits = this.#hits
    for (const { id, weight } of terms) {
      const at = indexOf(segment.terms, id)
      if (at < 0) continue
      const end = segment.starts[at + 1]!
      for (let posting = segment.starts[at]!; posting < end; posting++) {
        const document = segment.documents[posting]!
        const score = weight * segment.impacts[posting]!
        if (scores[document] === 0) hits.push(document)
        if (score > scores[document]!) scores[document] = score
      }
    }
    for (const document of hits) {
      if (this.#matched[document]!++ === 0) this.#touched.push(document)
      this.#totals[document]! += scores[document]!
      scores[document] = 0
    }
    hits.length = 0
  }

  #fit(documents: number): void {
    if (documents <= this.#totals.length) return
    this.#totals = new Float32Array(documents)
    this.#wordScores = new Float32Array(documents)
    this.#matched = new Uint8Array(documents)
  }
}

function indexOf(sorted: Uint32Array, wanted: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const value = sorted[middle]!
    if (value === wanted) return middle
    if (value < wanted) low = middle + 1
    else high = middle - 1
  }
  return -1
}
