import { histogramLines, metricText, sampleLine, type Labels } from '../../wire/prometheus-text.ts'

/** Labels in the order of the family's names. */
type LabelValues = readonly string[]

interface FamilyOptions {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** A metric with its labels, as lines of the Prometheus text format: one series for each set of label values. */
export interface MetricFamily {
  text(): string
}

/** A number that only rises. */
export class Counter implements MetricFamily {
  readonly #options: FamilyOptions
  readonly #series = new Series<{ value: number }>(() => ({ value: 0 }))

  constructor(options: FamilyOptions) {
    this.#options = options
  }

  add(labels: LabelValues, amount = 1): void {
    this.#series.of(labels).value += amount
  }

  /** For what is counted elsewhere. */
  raiseTo(labels: LabelValues, value: number): void {
    const series = this.#series.of(labels)
    series.value = Math.max(series.value, value)
  }

  text(): string {
    return simpleText('counter', this.#options, this.#series)
  }
}

/** A number that rises and falls, never below zero: what began before the listening did may end after it. */
export class Gauge implements MetricFamily {
  readonly #options: FamilyOptions
  readonly #series = new Series<{ value: number }>(() => ({ value: 0 }))

  constructor(options: FamilyOptions) {
    this.#options = options
  }

  add(labels: LabelValues, amount: number): void {
    const series = this.#series.of(labels)
    series.value = Math.max(0, series.value + amount)
  }

  text(): string {
    return simpleText('gauge', this.#options, this.#series)
  }
}

/** How often a value fell into which range. */
export class Histogram implements MetricFamily {
  readonly #options: FamilyOptions
  readonly #buckets: readonly number[]
  readonly #series: Series<{ readonly counts: number[]; sum: number }>

  constructor(options: FamilyOptions, buckets: readonly number[]) {
    this.#options = options
    this.#buckets = buckets
    this.#series = new Series(() => ({ counts: [...buckets, Infinity].map(() => 0), sum: 0 }))
  }

  observe(labels: LabelValues, value: number): void {
    const series = this.#series.of(labels)
    series.sum += value
    const found = this.#buckets.findIndex((bound) => value <= bound)
    const index = found < 0 ? this.#buckets.length : found
    series.counts[index] = series.counts[index]! + 1
  }

  text(): string {
    const { name, help, labels: names } = this.#options
    const lines = [...this.#series.all()].flatMap(([labels, { counts, sum }]) =>
      histogramLines(name, pairs(names, labels), { bounds: this.#buckets, counts, sum }),
    )
    return metricText({ name, help, kind: 'histogram' }, lines)
  }
}

class Series<Value> {
  readonly #entries = new Map<string, readonly [LabelValues, Value]>()
  readonly #create: () => Value

  constructor(create: () => Value) {
    this.#create = create
  }

  of(labels: LabelValues): Value {
    const key = labels.length === 1 ? (labels[0] ?? '') : JSON.stringify(labels)
    let entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, (entry = [labels, this.#create()]))
    return entry[1]
  }

  all(): Iterable<readonly [LabelValues, Value]> {
    return this.#entries.values()
  }
}

function simpleText(
  kind: 'counter' | 'gauge',
  { name, help, labels: names }: FamilyOptions,
  series: Series<{ value: number }>,
): string {
  const lines = [...series.all()].map(([labels, { value }]) => sampleLine(name, pairs(names, labels), value))
  return metricText({ name, help, kind }, lines)
}

function pairs(names: readonly string[], labels: LabelValues): Labels {
  return names.map((name, index) => [name, labels[index] ?? ''])
}
