import { histogramLines, metricText, sampleLine } from '@herma/framework/wire'

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

/** The text format of Prometheus. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join('')
}

function renderMetric(metric: Metric): string {
  const name = `herma_${metric.name}`
  const lines = metric.kind === 'histogram' ? renderHistogram(name, metric) : renderFigure(name, metric)
  return metricText({ name, help: metric.help, kind: metric.kind }, lines)
}

function renderFigure(name: string, metric: Figure): string[] {
  const value = metric.read()
  const samples = typeof value === 'number' ? [{ labels: {}, value }] : value
  return samples.map((sample) => sampleLine(name, Object.entries(sample.labels), sample.value))
}

function renderHistogram(name: string, metric: HistogramMetric): string[] {
  return metric
    .read()
    .flatMap(({ labels, counts, sum }) =>
      histogramLines(name, Object.entries(labels), { bounds: metric.bounds, counts, sum }),
    )
}
