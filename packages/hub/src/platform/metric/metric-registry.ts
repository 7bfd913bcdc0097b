import type { Metric } from './metrics.ts'

/** Every figure of the hub; each part adds its own. */
export class MetricRegistry {
  readonly #metrics: Metric[] = []

  add(...metrics: readonly Metric[]): void {
    this.#metrics.push(...metrics)
  }

  all(): readonly Metric[] {
    return this.#metrics
  }
}
