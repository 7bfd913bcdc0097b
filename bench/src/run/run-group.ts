import type { Case } from '../cases.ts'
import type { LoadResult } from '../client/run-load.ts'
import type { Target } from '../target/target.ts'
import type { LoadClient } from './load-client.ts'
import { Stage, type Omission } from './stage.ts'

export interface Measurement {
  case: string
  target: string
  round: number
  result: LoadResult
}

export interface GroupOptions {
  cases: Case[]
  targets: Target[]
  rounds: number
  warmMs: number
  measureMs: number
  client: LoadClient
  say: (line: string) => void
}

/**
 * Runs the cases of one group in rounds. In a round every target gets one turn at every case, and the next round
 * begins with another target, so that whatever else the machine does hits all of them alike.
 */
export async function runGroup(options: GroupOptions): Promise<{ measurements: Measurement[]; omissions: Omission[] }> {
  const { cases, targets, rounds, say } = options
  const measurements: Measurement[] = []
  const stage = new Stage(cases)
  try {
    await stage.start(targets, say)
    await warmUp(stage, options)
    for (let round = 0; round < rounds; round++) {
      for (const [index, each] of cases.entries()) {
        const figures: string[] = []
        for (const target of rotate(targets, round + index)) {
          const result = await takeTurn(stage, { each, target, minCalls: 2 * each.concurrency }, options)
          if (!result) continue
          measurements.push({ case: each.name, target: target.name, round, result })
          figures.push(`${target.name} ${Math.round(result.callsPerSecond)}${result.failures > 0 ? ' (WRONG)' : ''}`)
        }
        say(`round ${round + 1}/${rounds}  ${each.name}  calls/s: ${figures.join('  ')}`)
      }
    }
  } finally {
    await stage.stop()
  }
  return { measurements, omissions: stage.omissions }
}

/** One unmeasured turn for each target, so that round one does not measure how its code gets compiled. */
async function warmUp(stage: Stage, options: GroupOptions): Promise<void> {
  const { cases, targets } = options
  for (const setup of new Set(cases.map((each) => each.setup))) {
    const eras = new Set(cases.filter((each) => each.setup === setup).map((each) => each.era))
    for (const era of eras) {
      const each: Case = { name: 'warm-up', setup, era, operation: 'echo', payloadBytes: 0, concurrency: 16, group: '' }
      for (const target of targets) {
        if (target.dialects[era])
          await takeTurn(stage, { each, target, minCalls: WARM_UP_CALLS }, { ...options, warmMs: 0 })
      }
    }
  }
}

/** The list, starting with another element. */
export function rotate<Item>(items: readonly Item[], by: number): Item[] {
  const start = items.length === 0 ? 0 : by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

interface Turn {
  each: Case
  target: Target
  minCalls: number
}

/** About what it takes until Node has optimised a gateway's code. */
const WARM_UP_CALLS = 10_000

const CALL_TIMEOUT_MS = 20_000

async function takeTurn(
  stage: Stage,
  { each, target, minCalls }: Turn,
  options: GroupOptions,
): Promise<LoadResult | null> {
  const running = stage.find(target, each.setup)
  if (!running) return null
  // What moves bytes only is measured in the era that the servers speak: the limit that the others are compared with.
  const dialect = target.dialects[target.isBlind === true ? (each.setup.era ?? each.era) : each.era]
  const omit = (reason: string, isFailure: boolean) =>
    stage.omit({ case: each.name, target: target.name, reason, isFailure })
  if (!dialect) {
    omit(`does not speak the ${each.era} era`, false)
    return null
  }
  const { warmMs, measureMs, client } = options
  const { endpoints, toolCount, processId } = running
  const { operation, concurrency } = each
  const limits = { warmMs, measureMs, minCalls, timeoutMs: CALL_TIMEOUT_MS, payloadBytes: each.payloadBytes }
  try {
    return await client.run({ endpoints, toolCount, processId, dialect, operation, concurrency, ...limits })
  } catch (error) {
    omit((error as Error).message, true)
    return null
  }
}
