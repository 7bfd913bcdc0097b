import { readFile, writeFile } from 'node:fs/promises'
import type { Outcome, Result } from './judge-checks.ts'

/** What a scenario did when it was recorded. */
type Entry = { outcome: Outcome; passed: number }
/** Scenarios by name. */
export type RecordedLeg = Record<string, Entry>
/** Legs by name, for each way to run: `same era`, `direct`, `behind legacy`, `behind modern`. */
export type Baseline = Record<string, Record<string, RecordedLeg>>

const file = new URL('../baseline.json', import.meta.url)

/** Says in one sentence each what got worse; nothing when all is as good as recorded. */
export function compareWithBaseline(results: readonly Result[], recorded: RecordedLeg = {}): string[] {
  return results.flatMap(({ scenario, outcome, passed }) => {
    const before = recorded[scenario]
    if (!before) return outcome === 'fail' ? [`${scenario} fails and is not in the baseline.`] : []
    if (before.outcome === 'fail') return []
    if (outcome === 'fail') return [`${scenario} did not fail before: now it does.`]
    if (before.outcome === 'skipped') return []
    if (outcome === 'skipped') return [`${scenario} passed before: now it is skipped.`]
    // Checks that silently no longer apply are how a proxy loses a feature and stays green.
    return passed < before.passed ? [`${scenario} passed ${before.passed} checks before: now only ${passed}.`] : []
  })
}

/** The recorded leg with what was run now; scenarios that were not run keep what they had. */
export function recordResults(results: readonly Result[], recorded: RecordedLeg = {}): RecordedLeg {
  const entries = results.map(({ scenario, outcome, passed }) => [scenario, { outcome, passed }] as const)
  return { ...recorded, ...Object.fromEntries(entries) }
}

export async function readBaseline(): Promise<Baseline> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Baseline
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(
      'test/conformance/baseline.json cannot be read. Take it from git, or delete it and record it again with --update.',
      { cause: error },
    )
  }
}

/** One line for each scenario, so that a change is a readable diff. */
export async function writeBaseline(baseline: Baseline): Promise<void> {
  const text = JSON.stringify(baseline, null, 2).replaceAll(
    /\{\s+("outcome": "\w+"),\s+("passed": \d+)\s+\}/g,
    '{ $1, $2 }',
  )
  await writeFile(file, `${text}\n`)
}
