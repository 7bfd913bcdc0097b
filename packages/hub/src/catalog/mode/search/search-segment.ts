import type { SearchDocument } from './search-document.ts'
import type { SearchTerms } from './search-terms.ts'
import { searchWords } from './search-words.ts'

/**
 * The documents of one source: for each word that they have, which documents and how much it says about each. Numbers
 * in typed arrays: three bytes for a word of a document.
 */
export interface SearchSegment {
  readonly keys: readonly string[]
  /** Numbers of words, ascending. */
  readonly terms: Uint32Array
  /** Where the postings of each word begin; one more than there are words. */
  readonly starts: Uint32Array
  readonly documents: Uint16Array | Uint32Array
  /** What each posting is worth, 255 being the most. */
  readonly impacts: Uint8Array
}

// BM25F: a word counts by the field it stands in, less in a long field, and its repetition less and less. Usual lengths
// are constants and not averages, so that the weights of one segment never depend on another.
// https://en.wikipedia.org/wiki/Okapi_BM25
const fields = {
  name: { weight: 6, usualLength: 3, lengthEffect: 0.5 },
  title: { weight: 3, usualLength: 3, lengthEffect: 0.5 },
  tags: { weight: 2.5, usualLength: 2, lengthEffect: 0.3 },
  server: { weight: 2, usualLength: 1, lengthEffect: 0 },
  description: { weight: 1.6, usualLength: 20, lengthEffect: 0.6 },
  parameterNames: { weight: 1, usualLength: 6, lengthEffect: 0.5 },
  parameterDescriptions: { weight: 0.5, usualLength: 30, lengthEffect: 0.6 },
} as const
type Field = keyof typeof fields

const saturation = 3
/** A text is read that far; what it does is said by then. */
const maxTextLength = 4000
const maxWordsPerDocument = 400

export function buildSegment(documents: Iterable<SearchDocument>, terms: SearchTerms): SearchSegment {
  const keys: string[] = []
  const postings = new Map<number, { document: number; impact: number }[]>()
  // All of them first: one that cannot be read must not leave half a segment in the dictionary.
  for (const document of Array.from(documents)) {
    for (const [word, weight] of weighWords(document)) {
      const term = terms.retain(word)
      const posting = { document: keys.length, impact: Math.max(1, Math.round((255 * weight) / (saturation + weight))) }
      const list = postings.get(term)
      if (list === undefined) postings.set(term, [posting])
      else list.push(posting)
    }
    keys.push(document.key)
  }
  return packPostings(keys, postings)
}

/** Takes the segment's words out of the dictionary again. */
export function releaseSegment(segment: SearchSegment, terms: SearchTerms): void {
  segment.terms.forEach((term, index) => terms.release(term, segment.starts[index + 1]! - segment.starts[index]!))
}

function packPostings(
  keys: readonly string[],
  postings: ReadonlyMap<number, readonly { document: number; impact: number }[]>,
): SearchSegment {
  const terms = Uint32Array.from(postings.keys()).sort()
  const starts = new Uint32Array(terms.length + 1)
  terms.forEach((term, index) => (starts[index + 1] = starts[index]! + postings.get(term)!.length))
  const count = starts[terms.length]!
  const documents = keys.length > 0xffff ? new Uint32Array(count) : new Uint16Array(count)
  const impacts = new Uint8Array(count)
  let at = 0
  for (const term of terms) {
    for (const { document, impact } of postings.get(term)!) {
      documents[at] = document
      impacts[at++] = impact
    }
  }
  return { keys, terms, starts, documents, impacts }
}

function weighWords(document: SearchDocument): Map<string, number> {
  const weights = new Map<string, number>()
  const add = (field: Field, text: string) => addField(weights, field, searchWords(text.slice(0, maxTextLength)))
  add('name', document.name)
  add('title', document.title)
  add('server', document.server)
  add('tags', document.tags.join(' '))
  add('description', document.description)
  add('parameterNames', document.parameters.map(({ name }) => name).join(' '))
  add('parameterDescriptions', document.parameters.map(({ description }) => description).join(' '))
  return weights
}

function addField(weights: Map<string, number>, field: Field, words: readonly string[]): void {
  const { weight, usualLength, lengthEffect } = fields[field]
  const each = weight / (1 - lengthEffect + lengthEffect * (words.length / usualLength))
  for (const word of words) {
    const known = weights.get(word)
    if (known === undefined && weights.size >= maxWordsPerDocument) continue
    weights.set(word, (known ?? 0) + each)
  }
}
