import { BestHits, type SearchHit } from './best-hits.ts'
import type { SearchDocument } from './search-document.ts'
import { buildSegment, releaseSegment, type SearchSegment } from './search-segment.ts'
import { SearchTerms } from './search-terms.ts'
import { SegmentScorer, type QueryTerm, type QueryWord } from './segment-scorer.ts'
import { searchWords } from './search-words.ts'

export interface ToolSearchOptions {
  readonly limit: number
  /** Says no to documents that are not meant, such as tools that the caller may not see. */
  readonly accepts?: ((key: string) => boolean) | undefined
}

/**
 * Finds documents by words, the best first (BM25F). Each source is a segment of its own, so that a change of one
 * connector costs no more than its own tools.
 */
export class SearchIndex {
  readonly #terms = new SearchTerms()
  readonly #segments = new Map<string, SearchSegment>()
  #documentCount = 0

  get size(): number {
    return this.#documentCount
  }

  setSegment(id: string, documents: Iterable<SearchDocument>): void {
    const segment = buildSegment(documents, this.#terms)
    this.removeSegment(id)
    this.#segments.set(id, segment)
    this.#documentCount += segment.keys.length
  }

  removeSegment(id: string): void {
    const segment = this.#segments.get(id)
    if (segment === undefined) return
    releaseSegment(segment, this.#terms)
    this.#segments.delete(id)
    this.#documentCount -= segment.keys.length
  }

  search(query: string, { limit, accepts }: ToolSearchOptions): SearchHit[] {
    const words = this.#queryWords(query)
    if (limit < 1 || words.every(({ terms }) => terms.length === 0)) return []
    const best = new BestHits(limit, accepts)
    const scorer = new SegmentScorer(words, best)
    for (const segment of this.#segments.values()) scorer.score(segment)
    return best.inOrder()
  }

  #queryWords(query: string): QueryWord[] {
    const words = [...new Set(searchWords(query.slice(0, maxQueryLength)))].slice(0, maxQueryWords)
    return words.map((word, index) => ({
      terms: index === words.length - 1 ? this.#begun(word) : this.#exact(word),
    }))
  }

  #exact(word: string): QueryTerm[] {
    const id = this.#terms.find(word)
    return id === undefined ? [] : [{ id, weight: this.#rarity(this.#terms.count(id)) }]
  }

  // The last word may be half typed. What it may become counts less than what it is.
  #begun(word: string): QueryTerm[] {
    const exact = this.#exact(word)
    if (word.length < 2) return exact
    const ids = this.#terms.withPrefix(word, maxCompletions).filter((id) => id !== exact[0]?.id)
    const all = [...exact.map(({ id }) => id), ...ids]
    const total = all.reduce((sum, id) => sum + this.#terms.count(id), 0)
    const weight = 0.5 * this.#rarity(Math.min(total, this.#documentCount))
    return [...exact, ...ids.map((id) => ({ id, weight }))]
  }

  #rarity(documents: number): number {
    return Math.log(1 + (this.#documentCount - documents + 0.5) / (documents + 0.5))
  }
}

const maxQueryLength = 1000
const maxQueryWords = 24
const maxCompletions = 40
