export interface SearchHit {
  readonly key: string
  readonly score: number
}

/** Keeps the best few of many in a heap whose root is the worst of them. */
export class BestHits {
  readonly #heap: SearchHit[] = []
  readonly #limit: number
  readonly #accepts: ((key: string) => boolean) | undefined

  constructor(limit: number, accepts: ((key: string) => boolean) | undefined) {
    this.#limit = limit
    this.#accepts = accepts
  }

  offer(key: string, score: number): void {
    const heap = this.#heap
    const hit = { key, score }
    const isFull = heap.length >= this.#limit
    if (isFull && !isBetter(hit, heap[0]!)) return
    if (this.#accepts !== undefined && !this.#accepts(key)) return
    if (isFull) this.#sink(hit)
    else this.#rise(hit)
  }

  inOrder(): SearchHit[] {
    return this.#heap.toSorted((a, b) => (isBetter(a, b) ? -1 : 1))
  }

  #rise(hit: SearchHit): void {
    const heap = this.#heap
    let at = heap.push(hit) - 1
    for (let parent = (at - 1) >> 1; at > 0 && isBetter(heap[parent]!, hit); parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = hit
  }

  #sink(hit: SearchHit): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBetter(heap[child]!, heap[child + 1]!)) child++
      if (!isBetter(hit, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = hit
  }
}

// Equal scores are ordered by name, so that the same question always has the same answer.
function isBetter(a: SearchHit, b: SearchHit): boolean {
  return a.score === b.score ? a.key < b.key : a.score > b.score
}
