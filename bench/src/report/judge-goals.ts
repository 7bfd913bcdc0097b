import type { LoadResult } from '../client/run-load.ts'
import type { Footprint } from '../measure/footprint.ts'
import type { Measurement } from '../run/run-group.ts'
import { pairedAddedLatency, pairedRatio, type Series } from './paired-ratio.ts'

/** One thing that the hub must reach. */
export interface Goal {
  what: string
  wanted: string
  got: string
  verdict: 'holds' | 'FAILS' | 'not measured'
}

export interface Judged {
  measurements: Measurement[]
  footprint: Footprint | null
  /** Names of the npm peers. */
  peers: string[]
}

const OURS = 'herma'
const ERAS = ['legacy', 'modern'] as const

/** Compares what was measured with what issue 2 asks for. */
export function judgeGoals({ measurements, footprint, peers }: Judged): Goal[] {
  return [
    ...ERAS.flatMap((era) => judgeFullLoad(era, measurements, peers)),
    ...ERAS.map((era) => judgeAddedLatency(era, measurements)),
    judgeToolCount(measurements),
    judgeFootprint('idle hub process, no connectors', '≤ 130 MB RSS', footprint?.idleEmpty, ({ hubRssMb }) => ({
      got: `${hubRssMb.toFixed(0)} MB`,
      holds: hubRssMb <= 130,
    })),
    judgeFootprint(
      'idle hub process, 1,000 tools from 10 connectors',
      '≤ 130 MB RSS',
      footprint?.idleFull,
      ({ hubRssMb }) => ({
        got: `${hubRssMb.toFixed(0)} MB`,
        holds: hubRssMb <= 130,
      }),
    ),
    judgeFootprint('first complete tools/list after `herma up`', '≤ 1.5 s', footprint?.start, ({ completeListMs }) => ({
      got: `${(completeListMs / 1000).toFixed(2)} s`,
      holds: completeListMs <= 1500,
    })),
    judgeFootprint('idle legacy connection', '≤ 10 kB', footprint?.connections, ({ heapBytesEach }) => ({
      got: `${(heapBytesEach / 1000).toFixed(1)} kB`,
      holds: heapBytesEach <= 10_000,
    })),
  ]
}

function judgeFullLoad(era: string, measurements: Measurement[], peers: string[]): Goal[] {
  const at = (target: string): Series => ({ case: `http/${era}/echo/c64`, target })
  const compare = (target: string, pick: (result: LoadResult) => number | null) =>
    pairedRatio(measurements, [at(OURS), at(target)], pick)
  const toPeers = peers.map((peer) => ({ peer, ratio: compare(peer, callsPerSecond) ?? Number.POSITIVE_INFINITY }))
  const fastest = toPeers.filter(({ ratio }) => Number.isFinite(ratio)).toSorted((a, b) => a.ratio - b.ratio)[0]
  const peerLimit = { least: 20, of: fastest?.peer ?? 'the fastest npm peer' }
  return [
    judgeRatio(`calls/s at c=64, ${era} client`, compare('bare', callsPerSecond), { least: 0.8, of: 'bare' }),
    judgeRatio(`calls/s at c=64, ${era} client`, fastest?.ratio, peerLimit),
    judgeRatio(`CPU per call at c=64, ${era} client`, compare('bare', cpuUsPerCall), { most: 1.4, of: 'bare' }),
  ]
}

function judgeAddedLatency(era: string, measurements: Measurement[]): Goal {
  const at = (target: string): Series => ({ case: `http/${era}/echo/c1`, target })
  const ratio = pairedAddedLatency(measurements, [at(OURS), at('bare'), at('direct')])
  return judgeRatio(`latency added at c=1, ${era} client`, ratio, { most: 1.4, of: 'what bare adds' })
}

function judgeToolCount(measurements: Measurement[]): Goal {
  const thousand = { case: '1000-tools/legacy/echo/c64', target: OURS }
  const ten = { case: '10-tools/legacy/echo/c64', target: OURS }
  const ratio = pairedRatio(measurements, [thousand, ten], cpuUsPerCall)
  // Two equal runs differ by some percent on a busy machine.
  return judgeRatio('CPU per call with 1,000 tools', ratio, { most: 1.1, of: 'that with 10 tools' })
}

const callsPerSecond = (result: LoadResult) => result.callsPerSecond
const cpuUsPerCall = (result: LoadResult) => result.cpuUsPerCall

function judgeRatio(
  what: string,
  ratio: number | undefined,
  limit: { least?: number; most?: number; of: string },
): Goal {
  const wanted = limit.least === undefined ? `≤ ${limit.most} × ${limit.of}` : `≥ ${limit.least} × ${limit.of}`
  if (ratio === undefined) return { what, wanted, got: '–', verdict: 'not measured' }
  const holds = limit.least === undefined ? ratio <= (limit.most ?? 0) : ratio >= limit.least
  return { what, wanted, got: `${ratio.toFixed(2)} ×`, verdict: holds ? 'holds' : 'FAILS' }
}

function judgeFootprint<Part>(
  what: string,
  wanted: string,
  part: Part | string | undefined,
  read: (part: Part) => { got: string; holds: boolean },
): Goal {
  if (part === undefined) return { what, wanted, got: '–', verdict: 'not measured' }
  if (typeof part === 'string') return { what, wanted, got: part.split('\n')[0] ?? '', verdict: 'not measured' }
  const { got, holds } = read(part)
  return { what, wanted, got, verdict: holds ? 'holds' : 'FAILS' }
}
