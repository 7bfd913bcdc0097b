/** A figure of the hub, read when somebody asks for it. */
export type Metric = Figure | HistogramMetric

export interface Figure {
  /** Without the prefix; a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  read(): number | readonly Sample[]
}

/** How often something was how large. */
export interface HistogramMetric {
  readonly name: string
  readonly help: string
  readonly kind: 'histogram'
  /** Upper ends of the buckets, ascending; one without an end follows. */
  readonly bounds: readonly number[]
  read(): readonly Distribution[]
}

export interface Distribution {
  readonly labels: Readonly<Record<string, string>>
  /** One more than there are bounds; each counts its own bucket only. */
  readonly counts: readonly number[]
  readonly sum: number
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join('')
}

function renderMetric(metric: Metric): string {
  const full = `herma_${metric.name}`
  const lines = metric.kind === 'histogram' ? renderHistogram(full, metric) : renderFigure(full, metric)
  return `# HELP ${full} ${metric.help}\n# TYPE ${full} ${metric.kind}\n${lines.join('')}`
}

function renderFigure(full: string, metric: Figure): string[] {
  const value = metric.read()
  const samples = typeof value === 'number' ? [{ labels: {}, value }] : value
  return samples.map((sample) => `${full}${renderLabels(sample.labels)} ${sample.value}\n`)
}

// A bucket of Prometheus counts all that is below its end, so each holds those before it.
function renderHistogram(full: string, metric: HistogramMetric): string[] {
  return metric.read().flatMap(({ labels, counts, sum }) => {
    let total = 0
    const buckets = counts.map((count, index) => {
      const le = String(metric.bounds[index] ?? '+Inf')
      return `${full}_bucket${renderLabels({ ...labels, le })} ${(total += count)}\n`
    })
    const own = renderLabels(labels)
    return [...buckets, `${full}_sum${own} ${sum}\n`, `${full}_count${own} ${total}\n`]
  })
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
