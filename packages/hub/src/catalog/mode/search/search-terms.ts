/**
 * The words of all segments, each with a number and the count of documents that have it. A number is given to another
 * word once no document has it any more, so that the dictionary is never larger than what is indexed.
 */
export class SearchTerms {
  readonly #ids = new Map<string, number>()
  readonly #words: (string | undefined)[] = []
  readonly #free: number[] = []
  #counts = new Uint32Array(1024)

  get size(): number {
    return this.#ids.size
  }

  find(word: string): number | undefined {
    return this.#ids.get(word)
  }

  /** How many documents have the word. */
  count(id: number): number {
    return this.#counts[id] ?? 0
  }

  /** Counts one more document for the word, and says its number. */
  retain(word: string): number {
    const known = this.#ids.get(word)
    if (known !== undefined) {
      this.#counts[known]!++
      return known
    }
    const id = this.#free.pop() ?? this.#words.length
    // A word cut out of a text would keep the whole text in memory; one made of bytes stands alone.
    const own = Buffer.from(word).toString()
    this.#words[id] = own
    this.#ids.set(own, id)
    if (id >= this.#counts.length) this.#grow()
    this.#counts[id] = 1
    return id
  }

  /** Counts fewer documents for the word, and forgets it after the last. */
  release(id: number, documents: number): void {
    const left = this.count(id) - documents
    this.#counts[id] = left
    if (left > 0) return
    this.#ids.delete(this.#words[id]!)
    this.#words[id] = undefined
    this.#free.push(id)
  }

  /** The words that begin so, the common ones first. */
  withPrefix(prefix: string, limit: number): number[] {
    const found: number[] = []
    // Some ten thousand words are looked through in well under a millisecond; an order of them would have to be kept.
    for (let id = 0; id < this.#words.length; id++) {
      if (this.#words[id]?.startsWith(prefix)) found.push(id)
    }
    return found.sort((a, b) => this.count(b) - this.count(a)).slice(0, limit)
  }

  #grow(): void {
    const grown = new Uint32Array(this.#counts.length * 2)
    grown.set(this.#counts)
    this.#counts = grown
  }
}
