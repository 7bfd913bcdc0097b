import { median } from '../client/percentile.ts'
import type { Measurement } from '../run/run-group.ts'
import type { Target } from '../target/target.ts'
import { pairedRatio, pairedRatios, type Series } from './paired-ratio.ts'

/** What can be compared; each is the median over the rounds. */
export interface Figures {
  callsPerSecond: number
  p50Ms: number
  p99Ms: number
  cpuUsPerCall: number | null
  peakRssMb: number | null
}

export type Ratios = Record<keyof Figures, number | null>

export interface Row extends Figures {
  case: string
  target: string
  rounds: number
  storePeakRssMb: number | null
  failures: number
  failureReasons: string[]
  clientCpuUsPerCall: number
  /** Medians of the rounds' own ratios to `bare`; null where one of the two is missing. */
  toBare: Ratios
  /** The lowest and the highest of the rounds' ratios of calls/s. */
  spread: readonly [number, number] | null
}

/** One row for each case and target, in the order of their first measurement. */
export function summarise(measurements: Measurement[], targets: readonly Pick<Target, 'name' | 'limit'>[]): Row[] {
  const groups = new Map<string, Measurement[]>()
  for (const each of measurements) {
    const key = `${each.case} ${each.target}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()].map((group) => {
    const row = summariseGroup(group)
    const limit = targets.find(({ name }) => name === row.target)?.limit ?? 'bare'
    return { ...row, ...compareWithLimit(measurements, row, limit) }
  })
}

const NO_RATIOS: Ratios = { callsPerSecond: null, p50Ms: null, p99Ms: null, cpuUsPerCall: null, peakRssMb: null }

function summariseGroup(group: Measurement[]): Row {
  const results = group.map((each) => each.result)
  const middle = (pick: (result: Measurement['result']) => number | null) => {
    const values = results.map(pick).filter((value) => value !== null)
    return values.length > 0 ? median(values) : null
  }
  return {
    case: group[0]?.case ?? '',
    target: group[0]?.target ?? '',
    rounds: group.length,
    callsPerSecond: middle((result) => result.callsPerSecond) ?? 0,
    p50Ms: middle((result) => result.p50Ms) ?? Number.NaN,
    p99Ms: middle((result) => result.p99Ms) ?? Number.NaN,
    cpuUsPerCall: middle((result) => result.cpuUsPerCall),
    peakRssMb: middle((result) => result.peakRssMb),
    storePeakRssMb: middle((result) => result.storePeakRssMb),
    failures: results.reduce((sum, result) => sum + result.failures, 0),
    failureReasons: [...new Set(results.flatMap((result) => result.failureReasons))].slice(0, 5),
    clientCpuUsPerCall: middle((result) => result.clientCpuUsPerCall) ?? Number.NaN,
    toBare: NO_RATIOS,
    spread: null,
  }
}

function compareWithLimit(
  measurements: Measurement[],
  { case: name, target }: Row,
  limit: string,
): Pick<Row, 'toBare' | 'spread'> {
  const series: [Series, Series] = [
    { case: name, target },
    { case: name, target: limit },
  ]
  const ratio = (pick: (result: Measurement['result']) => number | null) =>
    pairedRatio(measurements, series, pick) ?? null
  const speeds = pairedRatios(measurements, series, (result) => result.callsPerSecond)
  const toBare = {
    callsPerSecond: ratio((result) => result.callsPerSecond),
    p50Ms: ratio((result) => result.p50Ms),
    p99Ms: ratio((result) => result.p99Ms),
    cpuUsPerCall: ratio((result) => result.cpuUsPerCall),
    peakRssMb: ratio((result) => result.peakRssMb),
  }
  return { toBare, spread: speeds.length === 0 ? null : [Math.min(...speeds), Math.max(...speeds)] }
}
