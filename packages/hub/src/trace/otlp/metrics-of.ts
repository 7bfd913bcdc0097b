import type { HistogramMetric, Figure, Metric } from '../../platform/metric/metrics.ts'
import { attributesOf } from './attributes-of.ts'

const cumulative = 2

/** Figures in the JSON form of OTLP. `since` and `now` are milliseconds since 1970. */
export function metricsOf(metrics: readonly Metric[], { since, now }: { since: number; now: number }): object[] {
  const times = { startTimeUnixNano: nanos(since), timeUnixNano: nanos(now) }
  return metrics.map((metric) => {
    const described = { name: `herma.${metric.name}`, description: metric.help }
    if (metric.kind === 'histogram') {
      return {
        ...described,
        unit: metric.name.endsWith('_seconds') ? 's' : '1',
        histogram: { aggregationTemporality: cumulative, dataPoints: distributions(metric, times) },
      }
    }
    const dataPoints = numbers(metric, times)
    return metric.kind === 'gauge'
      ? { ...described, gauge: { dataPoints } }
      : { ...described, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } }
  })
}

function numbers(metric: Figure, times: object): object[] {
  const value = metric.read()
  const samples = typeof value === 'number' ? [{ labels: {}, value }] : value
  return samples.map((sample) => ({ ...times, attributes: attributesOf(sample.labels), asDouble: sample.value }))
}

function distributions(metric: HistogramMetric, times: object): object[] {
  return metric.read().map(({ labels, counts, sum }) => ({
    ...times,
    attributes: attributesOf(labels),
    count: String(counts.reduce((total, each) => total + each, 0)),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: metric.bounds,
  }))
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n)
}
