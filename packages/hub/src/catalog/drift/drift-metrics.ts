import type { CatalogSnapshot, DriftReport } from '@herma/contract'
import type { Metric } from '../../platform/metric/metrics.ts'

export interface DriftFigures {
  readonly report: DriftReport | null
  readonly snapshots: Readonly<Record<CatalogSnapshot['kind'], number>>
}

/** What `/metrics` tells about drift. */
export function driftMetrics(read: () => DriftFigures): Metric[] {
  const gauge = (name: string, help: string, value: (report: DriftReport) => number): Metric => ({
    name,
    help,
    kind: 'gauge',
    read: () => {
      const { report } = read()
      return report === null ? 0 : value(report)
    },
  })
  return [
    gauge('catalog_drift_missing', 'Intended tools that clients do not get.', ({ counts }) => counts.missing),
    gauge('catalog_drift_extra', 'Tools that clients get and nobody intended.', ({ counts }) => counts.extra),
    gauge('catalog_drift_changed', 'Tools that are not as intended.', ({ counts }) => counts.changed),
    gauge(
      'catalog_last_capture_timestamp_seconds',
      'When the live catalog was last compared with the intended one.',
      ({ at }) => Date.parse(at) / 1000,
    ),
    {
      name: 'catalog_snapshots',
      help: 'Snapshots of the catalog in the history.',
      kind: 'gauge',
      read: () => Object.entries(read().snapshots).map(([kind, value]) => ({ labels: { kind }, value })),
    },
  ]
}
