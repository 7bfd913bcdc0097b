import type { Figure, HistogramMetric } from './metrics.ts'

interface Labelled {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Label values may come from outside; sets beyond this number are counted together as `other`. */
  readonly maxSets?: number
}

/** Counts how often something was how large, by label values. */
export class Histogram {
  readonly metric: HistogramMetric
  readonly #bounds: readonly number[]
  readonly #sets: LabelSets<{ counts: number[]; sum: number }>

  constructor({ bounds, ...labelled }: Labelled & { readonly bounds: readonly number[] }) {
    const { name, help } = labelled
    this.#bounds = bounds
    this.#sets = new LabelSets(labelled, () => ({ counts: bounds.map(() => 0).concat(0), sum: 0 }))
    this.metric = {
      name,
      help,
      kind: 'histogram',
      bounds,
      read: () => this.#sets.list((labels, set) => ({ labels, ...set })),
    }
  }

  observe(value: number, ...labelValues: string[]): void {
    const set = this.#sets.find(labelValues)
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? Infinity)) bucket++
    set.counts[bucket] = (set.counts[bucket] ?? 0) + 1
    set.sum += value
  }
}

/** Adds up something by label values. */
export class Counter {
  readonly metric: Figure & { read(): { labels: Record<string, string>; value: number }[] }
  readonly #sets: LabelSets<{ value: number }>

  constructor(labelled: Labelled) {
    const { name, help } = labelled
    this.#sets = new LabelSets(labelled, () => ({ value: 0 }))
    this.metric = {
      name,
      help,
      kind: 'counter',
      read: () => this.#sets.list((labels, { value }) => ({ labels, value })),
    }
  }

  add(amount: number, ...labelValues: string[]): void {
    this.#sets.find(labelValues).value += amount
  }
}

interface Node<Set> {
  readonly next: Map<string, Node<Set>>
  set: Set | undefined
}

// A tree with a level for each label: looking up a known set makes no new text, which matters for every call.
class LabelSets<Set> {
  readonly #labels: readonly string[]
  readonly #maxSets: number
  readonly #create: () => Set
  readonly #root: Node<Set> = { next: new Map(), set: undefined }
  readonly #sets: { labels: Record<string, string>; set: Set }[] = []

  constructor({ labels, maxSets = 500 }: Labelled, create: () => Set) {
    this.#labels = labels
    this.#maxSets = maxSets
    this.#create = create
  }

  find(values: readonly string[]): Set {
    let node: Node<Set> | undefined = this.#root
    for (const value of values) node = node?.next.get(value)
    return node?.set ?? this.#add(this.#sets.length < this.#maxSets ? values : values.map(() => 'other'))
  }

  list<Sample>(sample: (labels: Record<string, string>, set: Set) => Sample): Sample[] {
    return this.#sets.map(({ labels, set }) => sample(labels, set))
  }

  #add(values: readonly string[]): Set {
    let node = this.#root
    for (const value of values) {
      const next: Node<Set> = node.next.get(value) ?? { next: new Map(), set: undefined }
      node.next.set(value, next)
      node = next
    }
    if (node.set !== undefined) return node.set
    node.set = this.#create()
    this.#sets.push({
      labels: Object.fromEntries(this.#labels.map((name, index) => [name, values[index] ?? ''])),
      set: node.set,
    })
    return node.set
  }
}
