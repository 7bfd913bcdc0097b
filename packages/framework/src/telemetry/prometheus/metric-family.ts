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
    return familyText(this.#options, 'counter', simpleLines(this.#options, this.#series))
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
    return familyText(this.#options, 'gauge', simpleLines(this.#options, this.#series))
  }
}

/** How often a value fell into which range. */
export class Histogram implements MetricFamily {
  readonly #options: FamilyOptions
  readonly #buckets: readonly number[]
  readonly #series: Series<{ readonly counts: number[]; sum: number; count: number }>

  constructor(options: FamilyOptions, buckets: readonly number[]) {
    this.#options = options
    this.#buckets = buckets
    this.#series = new Series(() => ({ counts: buckets.map(() => 0), sum: 0, count: 0 }))
  }

  observe(labels: LabelValues, value: number): void {
    const series = this.#series.of(labels)
    series.sum += value
    series.count++
    const index = this.#buckets.findIndex((bound) => value <= bound)
    if (index >= 0) series.counts[index] = (series.counts[index] ?? 0) + 1
  }

  text(): string {
    const { name, labels: names } = this.#options
    const lines: string[] = []
    for (const [labels, { counts, sum, count }] of this.#series.all()) {
      let below = 0
      this.#buckets.forEach((bound, index) => {
        below += counts[index] ?? 0
        lines.push(line(`${name}_bucket`, [...names, 'le'], [...labels, String(bound)], below))
      })
      lines.push(line(`${name}_bucket`, [...names, 'le'], [...labels, '+Inf'], count))
      lines.push(line(`${name}_sum`, names, labels, sum), line(`${name}_count`, names, labels, count))
    }
    return familyText(this.#options, 'histogram', lines)
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

function simpleLines({ name, labels: names }: FamilyOptions, series: Series<{ value: number }>): string[] {
  return [...series.all()].map(([labels, { value }]) => line(name, names, labels, value))
}

function familyText({ name, help }: FamilyOptions, type: string, lines: readonly string[]): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return [`# HELP ${name} ${escaped}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function line(name: string, names: readonly string[], labels: LabelValues, value: number): string {
  const pairs = names.map((label, index) => `${label}="${escapeLabel(labels[index] ?? '')}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
