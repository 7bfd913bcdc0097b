import { readFile, writeFile } from 'node:fs/promises'
import type { Outcome, Result } from './judge-checks.ts'

/** What a scenario did when it was recorded. Failures are never recorded: they are mended or explained. */
type Entry = { outcome: Exclude<Outcome, 'fail'>; passed: number }
/** Scenarios by name. */
export type RecordedLeg = Record<string, Entry>
/** Legs by name, for each way to run. */
export type Baseline = Record<'direct' | 'framework' | 'through', Record<string, RecordedLeg>>

const file = new URL('../baseline.json', import.meta.url)

/** Says in one sentence each what fails or got worse; nothing when all is as good as recorded. */
export function compareWithBaseline(results: readonly Result[], recorded: RecordedLeg = {}): string[] {
  return results.flatMap(({ scenario, outcome, passed }) => {
    if (outcome === 'fail') return [`${scenario} fails.`]
    const before = recorded[scenario]
    if (!before) return [`${scenario} is not in the baseline. Record it with --update.`]
    if (before.outcome === 'skipped') return []
    if (outcome === 'skipped') return [`${scenario} passed before: now it is skipped.`]
    if (before.outcome === 'pass' && outcome === 'cannot cross') {
      return [`${scenario} passed before: now runner/cannot-cross.ts excuses it. Record that with --update.`]
    }
    // Checks that silently no longer apply are how a proxy loses a feature and stays green.
    return passed < before.passed ? [`${scenario} passed ${before.passed} checks before: now only ${passed}.`] : []
  })
}

/** Says what was recorded and is not among the results of a leg that ran whole. */
export function findMissing(results: readonly Result[], recorded: RecordedLeg = {}): string[] {
  return Object.keys(recorded)
    .filter((scenario) => !results.some((result) => result.scenario === scenario))
    .map((scenario) => `${scenario} is in the baseline and did not run.`)
}

/** The recorded leg with what was run now; scenarios that were not run, or fail, keep what they had. */
export function recordResults(results: readonly Result[], recorded: RecordedLeg = {}): RecordedLeg {
  const next = { ...recorded }
  for (const { scenario, outcome, passed } of results) if (outcome !== 'fail') next[scenario] = { outcome, passed }
  return next
}

export async function readBaseline(): Promise<Baseline> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Baseline
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { direct: {}, framework: {}, through: {} }
    throw new Error(
      'test/conformance/baseline.json cannot be read. Take it from git, or delete it and record it again with --update.',
      { cause: error },
    )
  }
}

/** One line for each scenario, so that a change is a readable diff. */
export async function writeBaseline(baseline: Baseline): Promise<void> {
  const text = JSON.stringify(baseline, null, 2).replaceAll(
    /\{\s+("outcome": "[\w ]+"),\s+("passed": \d+)\s+\}/g,
    '{ $1, $2 }',
  )
  await writeFile(file, `${text}\n`)
}
