const width = 72
const height = 18

/** How a figure went, as a small line above a ground; a gap where there was none. The words beside it say the same. */
export function Sparkline({ values, label }: { values: readonly (number | null)[]; label: string }) {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return <span className="text-ink-3">–</span>
  const top = Math.max(...known, 1e-9)
  const x = (index: number) => (values.length === 1 ? width / 2 : (index / (values.length - 1)) * (width - 6) + 3)
  const y = (value: number) => height - 3 - (value / top) * (height - 6)
  const runs = splitAtGaps(values)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className="h-4.5 w-18 shrink-0">
      <title>{label}</title>
      {/* Without it a figure that stands alone would look like a speck of dirt. */}
      <path d={`M0 ${height - 0.5}H${width}`} className="stroke-line" />
      {runs.map((run) => {
        const { index, value } = run[0]!
        return run.length === 1 ? (
          <circle key={index} cx={x(index)} cy={y(value)} r="2.5" className="fill-c1" />
        ) : (
          <polyline
            key={index}
            fill="none"
            className="stroke-c1"
            strokeWidth="1.5"
            strokeLinecap="round"
            strokeLinejoin="round"
            points={run.map((each) => `${x(each.index)},${y(each.value)}`).join(' ')}
          />
        )
      })}
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
