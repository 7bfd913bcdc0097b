export interface Range {
  readonly start: number
  readonly end: number
}

/** Of a longer form only the beginning is in the automaton; the rest is compared when it was found. */
const maxDepth = 64
const gram = 4
const hashBits = 18

/**
 * Finds many words in a text in one pass, whatever the words.
 * Most of a text is passed by a table of the words' first four characters. Where that says maybe, an automaton takes over
 * until nothing can begin any more: https://en.wikipedia.org/wiki/Aho–Corasick_algorithm
 */
export class SecretMatcher {
  /** Says of the last four characters whether a word may begin with them. */
  readonly #firsts = new Uint8Array(1 << hashBits)
  readonly #trie: Trie
  readonly #isEmpty: boolean
  /** How much of the end of a text may belong to a word that goes on in the next. */
  readonly maxLength: number

  /** Words have at least four characters. */
  constructor(words: readonly string[]) {
    this.#trie = new Trie(words)
    this.#isEmpty = words.length === 0
    this.maxLength = words.reduce((max, word) => Math.max(max, word.length), 0)
    for (const word of words) {
      let hash = 0
      for (let index = 0; index < gram; index++) hash = roll(hash, word.charCodeAt(index))
      this.#firsts[hash] = 1
    }
  }

  /** Ranges in order, with those that touch or overlap joined. */
  findRanges(text: string): Range[] {
    const ranges: Range[] = []
    if (this.#isEmpty) return ranges
    const firsts = this.#firsts
    const trie = this.#trie
    const { length } = text
    let hash = 0
    let index = 0
    while (index < length) {
      hash = roll(hash, text.charCodeAt(index++))
      if (firsts[hash] === 0 || index < gram) continue
      let node = 0
      for (let back = index - gram; back < index; back++) node = trie.step(node, text.charCodeAt(back))
      // Words of four characters end here at once; what is shallower begins again by the table.
      for (;;) {
        if (trie.endsAt(node)) trie.addRanges(node, text, index, ranges)
        if (trie.depthOf(node) < gram || index === length) break
        const code = text.charCodeAt(index++)
        hash = roll(hash, code)
        node = trie.step(node, code)
      }
    }
    return ranges
  }

  /** Where the end begins that may be the beginning of a word; the length of the text when there is none. */
  findOpenEnd(text: string): number {
    if (this.#isEmpty) return text.length
    // The automaton knows beginnings up to its depth; of longer words each possible one is compared.
    const from = Math.max(0, text.length - maxDepth + 1)
    let node = 0
    for (let index = from; index < text.length; index++) node = this.#trie.step(node, text.charCodeAt(index))
    const open = text.length - this.#trie.openDepthOf(node)
    const start = Math.max(0, text.length - this.maxLength + 1)
    return Math.min(open, this.#trie.findLongOpen(text, start) ?? text.length)
  }
}

// Four characters fill the hash; older ones have been shifted out.
function roll(hash: number, code: number): number {
  return ((hash << 5) ^ (code * 0x9e5)) & ((1 << hashBits) - 1)
}

/** All words as paths of characters, with a link from each node to where to go on after a mismatch. */
class Trie {
  // Edges live in one table of typed arrays, addressed by node and character: far smaller and faster than maps.
  readonly #mask: number
  readonly #nodeOfEdge: Int32Array
  readonly #codeOfEdge: Uint16Array
  readonly #target: Int32Array
  readonly #failure: Int32Array
  readonly #depth: Uint8Array
  readonly #hasNext: Uint8Array
  /** Length of the longest word that ends at a node. */
  readonly #matched: Uint8Array
  /** Words that go on behind a node at the greatest depth. */
  readonly #long = new Map<number, string[]>()
  #count = 1

  constructor(words: readonly string[]) {
    const capacity = 1 + words.reduce((sum, word) => sum + Math.min(word.length, maxDepth), 0)
    const slots = 1 << Math.ceil(Math.log2(capacity * 2 + 2))
    this.#mask = slots - 1
    this.#nodeOfEdge = new Int32Array(slots).fill(-1)
    this.#codeOfEdge = new Uint16Array(slots)
    this.#target = new Int32Array(slots)
    this.#failure = new Int32Array(capacity)
    this.#depth = new Uint8Array(capacity)
    this.#hasNext = new Uint8Array(capacity)
    this.#matched = new Uint8Array(capacity)
    const cameFrom = { parent: new Int32Array(capacity), code: new Uint16Array(capacity) }
    for (const word of words) this.#insert(word, cameFrom)
    for (const node of this.#byDepth()) {
      const parent = cameFrom.parent[node]!
      const failure = parent === 0 ? 0 : this.step(this.#failure[parent]!, cameFrom.code[node]!)
      this.#failure[node] = failure
      this.#matched[node] = Math.max(this.#matched[node]!, this.#matched[failure]!)
    }
  }

  step(from: number, code: number): number {
    for (let node = from; ; node = this.#failure[node]!) {
      const slot = this.#slotOf(node, code)
      if (this.#nodeOfEdge[slot] !== -1) return this.#target[slot]!
      if (node === 0) return 0
    }
  }

  depthOf(node: number): number {
    return this.#depth[node]!
  }

  /** How many characters before a node may be the beginning of a word that is not over yet. */
  openDepthOf(from: number): number {
    let node = from
    while (this.#hasNext[node] === 0) node = this.#failure[node]!
    return this.#depth[node]!
  }

  endsAt(node: number): boolean {
    return this.#matched[node]! > 0 || this.#depth[node] === maxDepth
  }

  addRanges(node: number, text: string, end: number, ranges: Range[]): void {
    const matched = this.#matched[node]!
    if (matched > 0) addRange(ranges, { start: end - matched, end })
    if (this.#depth[node] !== maxDepth) return
    const start = end - maxDepth
    for (const word of this.#long.get(node) ?? []) {
      if (text.startsWith(word, start)) addRange(ranges, { start, end: start + word.length })
    }
  }

  /** The earliest place, from `from` on, where a long word has begun that the text ends in the middle of. */
  findLongOpen(text: string, from: number): number | undefined {
    if (this.#long.size === 0) return undefined
    for (let node = 0, index = from; index < text.length; index++) {
      node = this.step(node, text.charCodeAt(index))
      if (this.#depth[node] !== maxDepth) continue
      const start = index + 1 - maxDepth
      const isOpen = (word: string) => word.length > text.length - start && word.startsWith(text.slice(start))
      if (this.#long.get(node)?.some(isOpen)) return start
    }
    return undefined
  }

  /** Every node but the root, those near to it first. */
  #byDepth(): Int32Array {
    const starts = new Int32Array(maxDepth + 2)
    for (let node = 1; node < this.#count; node++) starts[this.#depth[node]! + 1]!++
    for (let depth = 1; depth < starts.length; depth++) starts[depth]! += starts[depth - 1]!
    const nodes = new Int32Array(this.#count - 1)
    for (let node = 1; node < this.#count; node++) nodes[starts[this.#depth[node]!]!++] = node
    return nodes
  }

  #insert(word: string, cameFrom: { parent: Int32Array; code: Uint16Array }): void {
    let parent = 0
    const end = Math.min(word.length, maxDepth)
    for (let depth = 0; depth < end; depth++) {
      const code = word.charCodeAt(depth)
      const slot = this.#slotOf(parent, code)
      if (this.#nodeOfEdge[slot] === -1) {
        const node = this.#count++
        this.#nodeOfEdge[slot] = parent
        this.#codeOfEdge[slot] = code
        this.#target[slot] = node
        this.#depth[node] = depth + 1
        this.#hasNext[parent] = 1
        cameFrom.parent[node] = parent
        cameFrom.code[node] = code
      }
      parent = this.#target[slot]!
    }
    if (word.length <= maxDepth) this.#matched[parent] = word.length
    else this.#long.set(parent, [...(this.#long.get(parent) ?? []), word])
  }

  /** The slot of an edge, or the free one where it belongs. */
  #slotOf(node: number, code: number): number {
    const mixed = Math.imul(node + Math.imul(code, 0x85ebca6b), 0x9e3779b1)
    let slot = (mixed ^ (mixed >>> 15)) & this.#mask
    while (this.#nodeOfEdge[slot] !== -1 && (this.#nodeOfEdge[slot] !== node || this.#codeOfEdge[slot] !== code)) {
      slot = (slot + 1) & this.#mask
    }
    return slot
  }
}

// A later match may begin before an earlier one, so it can swallow more than the last range.
function addRange(ranges: Range[], range: Range): void {
  let { start, end } = range
  for (let last = ranges.at(-1); last !== undefined && last.end >= start; last = ranges.at(-1)) {
    start = Math.min(start, last.start)
    end = Math.max(end, last.end)
    ranges.pop()
  }
  ranges.push({ start, end })
}
