import { median } from '../client/percentile.ts'
import type { LoadResult } from '../client/run-load.ts'
import type { Measurement } from '../run/run-group.ts'

/** Something that was measured once in each round. */
export interface Series {
  case: string
  target: string
}

/**
 * How the first series compares with the second: the median of the rounds' own ratios, since two turns of the same
 * round have met the same machine. Undefined when no round has both.
 */
export function pairedRatio(
  measurements: Measurement[],
  series: [first: Series, second: Series],
  pick: (result: LoadResult) => number | null,
): number | undefined {
  return middle(pairedRatios(measurements, series, pick))
}

/** The same for each round. */
export function pairedRatios(
  measurements: Measurement[],
  series: [first: Series, second: Series],
  pick: (result: LoadResult) => number | null,
): number[] {
  return roundsOf(measurements, series)
    .map(([a, b]) => divide(pick(a), pick(b)))
    .filter((ratio) => Number.isFinite(ratio))
}

/**
 * How the first series has changed against the second, each compared with its own limit in the same round: the two cases
 * run one after the other, and the machine may have changed between them.
 */
export function pairedChange(
  measurements: Measurement[],
  series: [first: Series, firstLimit: Series, second: Series, secondLimit: Series],
  pick: (result: LoadResult) => number | null,
): number | undefined {
  const changes = roundsOf(measurements, series).map(([first, firstLimit, second, secondLimit]) =>
    divide(divide(pick(first), pick(firstLimit)), divide(pick(second), pick(secondLimit))),
  )
  return middle(changes)
}

/** The latency that `first` adds to `direct`, compared with what `second` adds. */
export function pairedAddedLatency(
  measurements: Measurement[],
  series: [first: Series, second: Series, direct: Series],
): number | undefined {
  const ratios = roundsOf(measurements, series).map(([a, b, direct]) => {
    const limitMs = b.p50Ms - direct.p50Ms
    // A limit that adds nothing, or less, was measured in noise and can limit nothing.
    return limitMs > 0 ? (a.p50Ms - direct.p50Ms) / limitMs : Number.NaN
  })
  return middle(ratios)
}

/** For each round in which all series gave correct answers, their results in order. */
function roundsOf<const Wanted extends Series[]>(measurements: Measurement[], wanted: Wanted) {
  const rounds: { [Index in keyof Wanted]: LoadResult }[] = []
  for (const round of new Set(measurements.map((each) => each.round))) {
    const results = wanted.map(
      (series) =>
        measurements.find(
          (each) =>
            each.round === round &&
            each.case === series.case &&
            each.target === series.target &&
            each.result.failures === 0,
        )?.result,
    )
    if (results.every((result) => result !== undefined)) rounds.push(results as { [Index in keyof Wanted]: LoadResult })
  }
  return rounds
}

const divide = (a: number | null, b: number | null) => (a === null || b === null ? Number.NaN : a / b)

function middle(ratios: number[]): number | undefined {
  const finite = ratios.filter((ratio) => Number.isFinite(ratio))
  return finite.length > 0 ? median(finite) : undefined
}
