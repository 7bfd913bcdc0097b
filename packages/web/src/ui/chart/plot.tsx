import { useEffect, useId, useRef, useState, type PointerEvent } from 'react'
import { cn } from '../cn.ts'
import { findTicks, splitRuns } from './plot-scale.ts'

export interface PlotLine {
  readonly name: string
  /** One of the six colours for charts. */
  readonly color: 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6'
}

export interface PlotPoint {
  readonly at: number
  /** One for each line. */
  readonly values: readonly number[]
}

interface PlotProps {
  readonly title: string
  /** What it shows, in one sentence. */
  readonly summary: string
  readonly lines: readonly PlotLine[]
  /** Oldest first. */
  readonly points: readonly PlotPoint[]
  readonly from: number
  readonly to: number
  /** Points further apart have a gap between them. */
  readonly stepMs: number
  readonly format: (value: number) => string
}

const height = 200
const left = 52
const bottom = 22
const top = 8
const strokes = { c1: 'stroke-c1', c2: 'stroke-c2', c3: 'stroke-c3', c4: 'stroke-c4', c5: 'stroke-c5', c6: 'stroke-c6' }
const fills = { c1: 'bg-c1', c2: 'bg-c2', c3: 'bg-c3', c4: 'bg-c4', c5: 'bg-c5', c6: 'bg-c6' }
// Lines differ by their dashes too, for who does not see colours.
const dashes = ['', '5 3', '1.5 3']

/** Figures over time as lines, with gaps where there were none. The same figures are in a table below it. */
export function Plot({ title, summary, lines, points, from, to, stepMs, format }: PlotProps) {
  const id = useId()
  const image = useRef<SVGSVGElement>(null)
  const width = useWidth(image)
  const [pointed, setPointed] = useState<number | null>(null)
  const ticks = findTicks(Math.max(...points.flatMap(({ values }) => values), 0))
  const highest = ticks.at(-1) ?? 1
  const x = (at: number) => left + ((at - from) / (to - from)) * (width - left - 8)
  const y = (value: number) => height - bottom - (value / highest) * (height - bottom - top)
  const runs = splitRuns(points, stepMs)
  const shown = pointed === null ? undefined : points[pointed]

  function point(event: PointerEvent) {
    const wanted = event.clientX - image.current!.getBoundingClientRect().left
    const distances = points.map(({ at }) => Math.abs(x(at) - wanted))
    setPointed(points.length === 0 ? null : distances.indexOf(Math.min(...distances)))
  }

  return (
    <figure className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-ink-2">
        {lines.map(({ name, color }, index) => (
          <span key={name} className="flex items-center gap-1.5">
            <span aria-hidden className={cn('h-0.5 w-4 rounded-full', fills[color])} />
            {name}
            <span className="tnum text-ink">{shown === undefined ? '' : format(shown.values[index]!)}</span>
          </span>
        ))}
        <span className="tnum ml-auto text-ink-3">{shown === undefined ? '' : formatClock(shown.at)}</span>
      </figcaption>
      <svg
        ref={image}
        width="100%"
        height={height}
        role="img"
        aria-label={`${title}. ${summary}`}
        aria-describedby={`${id}-table`}
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width - 8} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={left - 6} y={y(tick) + 4} textAnchor="end" className="tnum fill-ink-3 text-[11px]">
              {tick === 0 ? '0' : format(tick)}
            </text>
          </g>
        ))}
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <text
            key={share}
            x={x(from + share * (to - from))}
            y={height - 6}
            textAnchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}
            className="tnum fill-ink-3 text-[11px]"
          >
            {formatClock(from + share * (to - from))}
          </text>
        ))}
        {shown !== undefined && (
          <line x1={x(shown.at)} x2={x(shown.at)} y1={top} y2={height - bottom} className="stroke-line-strong" />
        )}
        {lines.map(({ name, color }, index) =>
          runs.map((run) => (
            <g key={`${name} ${run[0]!.at}`} className={strokes[color]} fill="none" strokeWidth="1.5">
              <polyline
                strokeDasharray={dashes[index % dashes.length]}
                strokeLinejoin="round"
                points={run.map(({ at, values }) => `${x(at)},${y(values[index]!)}`).join(' ')}
              />
              {run.length === 1 && <circle cx={x(run[0]!.at)} cy={y(run[0]!.values[index]!)} r="2" />}
            </g>
          )),
        )}
      </svg>
      <details id={`${id}-table`} className="text-sm">
        <summary className="text-ink-2">Figures as a table</summary>
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- It scrolls, so it has to be reachable by keys. */}
        <div role="region" aria-label={`${title}, as a table`} tabIndex={0} className="mt-2 max-h-64 overflow-auto">
          <table className="tnum w-full text-left">
            <thead className="text-ink-3">
              <tr className="*:py-1 *:pr-4 *:font-medium">
                <th scope="col">Time</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(({ at, values }) => (
                <tr key={at} className="border-t border-line *:py-1 *:pr-4">
                  <th scope="row" className="font-normal">
                    {formatClock(at)}
                  </th>
                  {values.map((value, index) => (
                    <td key={index}>{format(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** Drawn in pixels of the page, so that its words are as large as all others. */
function useWidth(image: { readonly current: SVGSVGElement | null }): number {
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const element = image.current
    if (element === null) return
    const watch = new ResizeObserver(() => setWidth(element.clientWidth))
    watch.observe(element)
    return () => watch.disconnect()
  }, [image])
  return width
}

function formatClock(at: number): string {
  return new Date(at).toLocaleTimeString([], { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' })
}
