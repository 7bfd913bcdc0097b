import type { LoadResult } from '../client/run-load.ts'
import type { Footprint } from '../measure/footprint.ts'
import type { Measurement } from '../run/run-group.ts'
import { pairedAddedLatency, pairedChange, pairedRatio, type Series } from './paired-ratio.ts'

/** One thing that the hub must reach. */
export interface Goal {
  what: string
  wanted: string
  got: string
  verdict: 'holds' | 'FAILS' | 'not measured' | ''
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
    ...describeLimit(measurements, at('bare'), fastest && at(fastest.peer)),
    judgeRatio(`CPU per call at c=64, ${era} client`, compare('bare', cpuUsPerCall), { most: 1.4, of: 'bare' }),
  ]
}

/** What the bare proxy reaches against the same peer: no gateway can do more on this machine. */
function describeLimit(measurements: Measurement[], bare: Series, peer: Series | undefined): Goal[] {
  const ratio = peer && pairedRatio(measurements, [bare, peer], callsPerSecond)
  if (ratio === undefined) return []
  return [{ what: '  the same for bare, which is the limit', wanted: '', got: `${ratio.toFixed(2)} ×`, verdict: '' }]
}

function judgeAddedLatency(era: string, measurements: Measurement[]): Goal {
  const at = (target: string): Series => ({ case: `http/${era}/echo/c1`, target })
  const ratio = pairedAddedLatency(measurements, [at(OURS), at('bare'), at('direct')])
  return judgeRatio(`latency added at c=1, ${era} client`, ratio, { most: 1.4, of: 'what bare adds' })
}

function judgeToolCount(measurements: Measurement[]): Goal {
  const thousand = (target: string): Series => ({ case: '1000-tools/legacy/echo/c64', target })
  const ten = (target: string): Series => ({ case: '10-tools/legacy/echo/c64', target })
  const series: [Series, Series, Series, Series] = [thousand(OURS), thousand('bare'), ten(OURS), ten('bare')]
  // Two equal runs differ by some percent on a busy machine.
  return judgeRatio('CPU per call to bare, 1,000 tools', pairedChange(measurements, series, cpuUsPerCall), {
    most: 1.1,
    of: 'that with 10 tools',
  })
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
