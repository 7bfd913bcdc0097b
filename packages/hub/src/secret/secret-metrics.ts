import type { Metric } from '../platform/metric/metrics.ts'

export function secretMetrics(count: () => number, unopened: () => number): Metric[] {
  return [
    { name: 'secrets', help: 'Named secrets that are stored.', kind: 'gauge', read: count },
    { name: 'sealed_values_unopened', help: 'Stored values that no key opens.', kind: 'gauge', read: unopened },
  ]
}
