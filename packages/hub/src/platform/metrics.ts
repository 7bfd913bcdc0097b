/** A figure of the hub, read when somebody asks for it. */
export interface Metric {
  /** Without the prefix; a counter ends with `_total`. */
  readonly name: string
  readonly help: string
  readonly kind: 'gauge' | 'counter'
  read(): number | readonly Sample[]
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map(renderMetric).join('')
}

function renderMetric({ name, help, kind, read }: Metric): string {
  const full = `herma_${name}`
  const value = read()
  const samples = typeof value === 'number' ? [{ labels: {}, value }] : value
  const lines = samples.map((sample) => `${full}${renderLabels(sample.labels)} ${sample.value}\n`)
  return `# HELP ${full} ${help}\n# TYPE ${full} ${kind}\n${lines.join('')}`
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
