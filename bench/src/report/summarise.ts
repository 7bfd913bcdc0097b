import { median } from '../client/percentile.ts'
import type { Measurement } from '../run/run-group.ts'
import { pairedRatio } from './paired-ratio.ts'

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
  /** Medians of the rounds' own ratios to `bare`; null where one of the two is missing. */
  toBare: Ratios
}

/** One row for each case and target, in the order of their first measurement. */
export function summarise(measurements: Measurement[]): Row[] {
  const groups = new Map<string, Measurement[]>()
  for (const each of measurements) {
    const key = `${each.case} ${each.target}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()].map((group) => {
    const row = summariseGroup(group)
    return { ...row, toBare: compareWithBare(measurements, row) }
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
    toBare: NO_RATIOS,
  }
}

function compareWithBare(measurements: Measurement[], { case: name, target }: Row): Ratios {
  const ratio = (pick: (result: Measurement['result']) => number | null) =>
    pairedRatio(
      measurements,
      [
        { case: name, target },
        { case: name, target: 'bare' },
      ],
      pick,
    ) ?? null
  return {
    callsPerSecond: ratio((result) => result.callsPerSecond),
    p50Ms: ratio((result) => result.p50Ms),
    p99Ms: ratio((result) => result.p99Ms),
    cpuUsPerCall: ratio((result) => result.cpuUsPerCall),
    peakRssMb: ratio((result) => result.peakRssMb),
  }
}
