/** The word that stands for every name past the bound. */
export const otherName = 'other'

const longestName = 128

/**
 * Lets through a bounded number of names, so that a caller who invents names cannot grow what is kept for each of them.
 * Names past the bound, and names too long to be anybody's, become `other`.
 */
export class BoundedNames {
  readonly #names = new Set<string>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A name that is not `real` (nothing here is called so) is let through only when it was real before. */
  of(name: string, isReal = true): string {
    if (this.#names.has(name)) return name
    if (!isReal || name.length > longestName || this.#names.size >= this.#limit) return otherName
    this.#names.add(name)
    return name
  }
}
