/** Names and values of labels, in their order. */
export type Labels = readonly (readonly [name: string, value: string])[]

interface MetricHead {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
}

/** A metric in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export function metricText({ name, help, kind }: MetricHead, lines: readonly string[]): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  return [`# HELP ${name} ${escaped}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n')
}

export function sampleLine(name: string, labels: Labels, value: number): string {
  const pairs = labels.map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`
}

/**
 * `counts` has one more than there are bounds, each of its own bucket only; a bucket of Prometheus counts all that is
 * below its end.
 */
export function histogramLines(
  name: string,
  labels: Labels,
  { bounds, counts, sum }: { bounds: readonly number[]; counts: readonly number[]; sum: number },
): string[] {
  let total = 0
  const buckets = counts.map((count, index) => {
    const end = String(bounds[index] ?? '+Inf')
    return sampleLine(`${name}_bucket`, [...labels, ['le', end]], (total += count))
  })
  return [...buckets, sampleLine(`${name}_sum`, labels, sum), sampleLine(`${name}_count`, labels, total)]
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
