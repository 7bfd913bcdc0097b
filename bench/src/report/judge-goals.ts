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

interface Limit {
  readonly least?: number
  readonly most?: number
  readonly of: string
}

const eras = ['legacy', 'modern'] as const

/** Compares what was measured with what the hub must reach (docs/performance.md says why). */
export function judgeGoals(measurements: Measurement[], footprint: Footprint | null): Goal[] {
  const judge = new Judge(measurements)
  const others = labelsOf(measurements)
  return [
    ...eras.flatMap((era) =>
      [16, 64].flatMap((concurrency) => {
        const name = `http/${era}/echo/c${concurrency}`
        const what = `calls/s, small answers, ${era}, c=${concurrency}`
        return [
          judge.speed(what, name, '', { least: 1.1, of: 'bare' }),
          ...others.map((label) =>
            judge.speed(`${what}, Node ${label}`, name, `@${label}`, { least: 1.3, of: 'bare' }),
          ),
        ]
      }),
    ),
    ...eras.map((era) => judge.addedLatency(era)),
    ...eras.flatMap((client) =>
      eras.map((server) => {
        const name = `http-to-${server}/${client}/100kB/c16`
        return judge.speed(`calls/s, 100 kB, ${client} client, ${server} server`, name, '', { least: 1, of: 'bare' })
      }),
    ),
    ...judge.aheadOf('tbxark'),
    judge.toolCount(),
    judge.tail(),
    judgeFootprint('idle hub process, no connectors', '≤ 75 MB RSS', footprint?.idleEmpty, ({ hubRssMb }) => ({
      got: `${hubRssMb.toFixed(0)} MB`,
      holds: hubRssMb <= 75,
    })),
    judgeFootprint('idle hub process, 1,000 tools', '≤ 75 MB RSS', footprint?.idleFull, ({ hubRssMb }) => ({
      got: `${hubRssMb.toFixed(0)} MB`,
      holds: hubRssMb <= 75,
    })),
    judgeFootprint('idle with PostgreSQL, 1,000 tools', '≤ 130 MB PSS', footprint?.idleFull, ({ withStoreMb }) => ({
      got: `${withStoreMb.toFixed(0)} MB`,
      holds: withStoreMb <= 130,
    })),
    judgeFootprint(
      'first tools/list after `herma up`, 1,000 tools',
      '≤ 0.6 s',
      footprint?.start,
      ({ firstListMs }) => ({
        got: `${(firstListMs / 1000).toFixed(2)} s`,
        holds: firstListMs <= 600,
      }),
    ),
    judgeFootprint('idle legacy connection', '≤ 10 kB', footprint?.connections, ({ heapBytesEach }) => ({
      got: `${(heapBytesEach / 1000).toFixed(1)} kB`,
      holds: heapBytesEach <= 10_000,
    })),
  ]
}

class Judge {
  readonly #measurements: Measurement[]

  constructor(measurements: Measurement[]) {
    this.#measurements = measurements
  }

  /** `label` is that of another Node. */
  speed(what: string, name: string, label: string, limit: Limit): Goal {
    const series: [Series, Series] = [
      { case: name, target: `herma${label}` },
      { case: name, target: `bare${label}` },
    ]
    return judgeRatio(what, pairedRatio(this.#measurements, series, callsPerSecond), limit)
  }

  addedLatency(era: string): Goal {
    const at = (target: string): Series => ({ case: `http/${era}/echo/c1`, target })
    const ratio = pairedAddedLatency(this.#measurements, [at('herma'), at('bare'), at('direct')])
    return judgeRatio(`latency added at c=1, ${era} client`, ratio, { most: 0.8, of: 'what bare adds' })
  }

  /** In every case that both were measured in. */
  aheadOf(peer: string): Goal[] {
    const names = new Set(this.#measurements.filter(({ target }) => target === peer).map((each) => each.case))
    return [...names].map((name) => {
      const series: [Series, Series] = [
        { case: name, target: 'herma' },
        { case: name, target: peer },
      ]
      return judgeRatio(`calls/s in ${name}`, pairedRatio(this.#measurements, series, callsPerSecond), {
        least: 1,
        of: peer,
      })
    })
  }

  toolCount(): Goal {
    const at = (count: number, target: string): Series => ({ case: `${count}-tools/legacy/echo/c64`, target })
    const series: [Series, Series, Series, Series] = [
      at(10_000, 'herma'),
      at(10_000, 'bare'),
      at(10, 'herma'),
      at(10, 'bare'),
    ]
    // Two equal runs differ by some percent on a busy machine.
    const limit = { most: 1.1, of: 'that with 10 tools' }
    return judgeRatio(
      'CPU per call to bare, 10,000 tools',
      pairedChange(this.#measurements, series, cpuUsPerCall),
      limit,
    )
  }

  /** At full load already, which is more than is wanted at half of it. */
  tail(): Goal {
    const at = this.#measurements.filter(
      ({ case: name, target }) => name === 'http/legacy/echo/c16' && target === 'herma',
    )
    const ratios = at.map(({ result }) => result.p99Ms / result.p50Ms).toSorted((a, b) => a - b)
    return judgeRatio('p99 at c=16', ratios[Math.floor(ratios.length / 2)], { most: 3, of: 'p50' })
  }
}

/** Of the other Nodes that herma was measured on. */
function labelsOf(measurements: Measurement[]): string[] {
  return [...new Set(measurements.flatMap(({ target }) => (target.startsWith('herma@') ? [target.slice(6)] : [])))]
}

const callsPerSecond = (result: LoadResult) => result.callsPerSecond
const cpuUsPerCall = (result: LoadResult) => result.cpuUsPerCall

function judgeRatio(what: string, ratio: number | undefined, limit: Limit): Goal {
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
