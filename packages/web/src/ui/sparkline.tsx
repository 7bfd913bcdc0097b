const width = 72
const height = 18

/** How a figure went, as a small line; a gap where there was none. The words beside it say the same. */
export function Sparkline({ values, label }: { values: readonly (number | null)[]; label: string }) {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return <span className="text-ink-3">–</span>
  const top = Math.max(...known, 1e-9)
  const x = (index: number) => (values.length === 1 ? width / 2 : (index / (values.length - 1)) * (width - 2) + 1)
  const y = (value: number) => height - 2 - (value / top) * (height - 4)
  const runs = splitAtGaps(values)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className="h-4.5 w-18 shrink-0">
      <title>{label}</title>
      {runs.map((run) => (
        <polyline
          key={run[0]!.index}
          fill="none"
          className="stroke-c1"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          // A point alone would not be drawn.
          points={(run.length === 1 ? [run[0]!, run[0]!] : run)
            .map(({ index, value }, place) => `${x(index) + (run.length === 1 ? place : 0)},${y(value)}`)
            .join(' ')}
        />
      ))}
    </svg>
  )
}

function splitAtGaps(values: readonly (number | null)[]): { index: number; value: number }[][] {
  const runs: { index: number; value: number }[][] = []
  let isOpen = false
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isOpen = false
      continue
    }
    if (!isOpen) runs.push([])
    isOpen = true
    runs.at(-1)!.push({ index, value })
  }
  return runs
}
