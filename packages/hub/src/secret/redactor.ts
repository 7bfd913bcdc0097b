import { secretForms } from './secret-forms.ts'

const mask = '••••'

/** Masks every known secret value in text, in one pass whose time grows with the text and not with the secrets. */
export class Redactor {
  readonly #formsOf = new Map<string, string[]>()
  #matcher: SecretMatcher | undefined

  /** Replaces the secret values of one owner. */
  set(owner: string, values: Iterable<string>): void {
    this.#formsOf.set(owner, [...values].flatMap(secretForms))
    this.#matcher = undefined
  }

  remove(owner: string): void {
    if (this.#formsOf.delete(owner)) this.#matcher = undefined
  }

  redact(text: string): string {
    this.#matcher ??= new SecretMatcher([...this.#formsOf.values()].flat())
    let result = ''
    let end = 0
    for (const range of this.#matcher.findRanges(text)) {
      result += text.slice(end, range.start) + mask
      end = range.end
    }
    return end === 0 ? text : result + text.slice(end)
  }
}

interface Range {
  start: number
  end: number
}

// Aho–Corasick: a trie of all secrets whose failure links say where to go on after a mismatch, so no character of the
// text is read twice. https://en.wikipedia.org/wiki/Aho–Corasick_algorithm
class SecretMatcher {
  // One map for all edges, keyed by node and character, is far smaller than a map per node.
  readonly #edges = new Map<number, number>()
  readonly #failure: number[] = [0]
  /** Length of the longest secret that ends at a node. */
  readonly #matched: number[] = [0]

  constructor(secrets: readonly string[]) {
    const levels: { node: number; parent: number; code: number }[][] = []
    for (const secret of secrets) this.#insert(secret, levels)
    for (const level of levels) {
      for (const { node, parent, code } of level) {
        const failure = parent === 0 ? 0 : this.#step(this.#failure[parent] ?? 0, code)
        this.#failure[node] = failure
        this.#matched[node] = Math.max(this.#matched[node] ?? 0, this.#matched[failure] ?? 0)
      }
    }
  }

  /** Ranges in order, with those that touch or overlap joined. */
  findRanges(text: string): Range[] {
    const ranges: Range[] = []
    if (this.#edges.size === 0) return ranges
    for (let node = 0, index = 0; index < text.length; index++) {
      node = this.#step(node, text.charCodeAt(index))
      const length = this.#matched[node] ?? 0
      if (length > 0) addRange(ranges, { start: index + 1 - length, end: index + 1 })
    }
    return ranges
  }

  #insert(secret: string, levels: { node: number; parent: number; code: number }[][]): void {
    let parent = 0
    for (let depth = 0; depth < secret.length; depth++) {
      const code = secret.charCodeAt(depth)
      let node = this.#edges.get(edgeKey(parent, code))
      if (node === undefined) {
        node = this.#failure.length
        this.#edges.set(edgeKey(parent, code), node)
        this.#failure.push(0)
        this.#matched.push(0)
        ;(levels[depth] ??= []).push({ node, parent, code })
      }
      parent = node
    }
    this.#matched[parent] = secret.length
  }

  #step(from: number, code: number): number {
    for (let node = from; ; node = this.#failure[node] ?? 0) {
      const next = this.#edges.get(edgeKey(node, code))
      if (next !== undefined) return next
      if (node === 0) return 0
    }
  }
}

function edgeKey(node: number, code: number): number {
  return node * 0x10000 + code
}

// A later match may begin before an earlier one, so it can swallow more than the last range.
function addRange(ranges: Range[], range: Range): void {
  let { start } = range
  for (let last = ranges.at(-1); last !== undefined && last.end >= start; last = ranges.at(-1)) {
    start = Math.min(start, last.start)
    ranges.pop()
  }
  ranges.push({ start, end: range.end })
}
