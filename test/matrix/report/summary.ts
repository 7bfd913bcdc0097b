import { nameCell, type CellKind } from '../cell.ts'
import type { Feature, Hole } from '../feature/feature.ts'
import type { CellResult } from '../run-cell.ts'

export interface Failure {
  readonly feature: string
  readonly reason: string
  readonly cells: readonly string[]
}

export interface FeatureHole {
  readonly feature: Feature
  readonly hole: Hole
  readonly cells: readonly CellKind[]
}

/** The failures of all cells; those that are alike are one. */
export function findFailures(results: readonly CellResult[]): Failure[] {
  const found = new Map<string, { feature: string; reason: string; cells: string[] }>()
  for (const { kind, outcomes } of results) {
    for (const [feature, outcome] of outcomes) {
      if (outcome.verdict !== 'FAILS') continue
      // The key of a run and the name of a server say nothing about the kind of failure.
      const alike = `${feature}\n${outcome.reason.replaceAll(/-\d+|\d{4}-\d\d-\d\d/g, '')}`
      const failure = found.get(alike) ?? { feature, reason: outcome.reason, cells: [] }
      failure.cells.push(nameCell(kind))
      found.set(alike, failure)
    }
  }
  return [...found.values()]
}

/** What cannot cross: each feature with each of its reasons, and the cells where that is so. */
export function findHoles(results: readonly CellResult[], features: readonly Feature[]): FeatureHole[] {
  return features.flatMap((feature) => {
    const byReason = new Map<string, { hole: Hole; cells: CellKind[] }>()
    for (const { kind, outcomes } of results) {
      const outcome = outcomes.get(feature.name)
      if (outcome?.verdict !== 'explained') continue
      const entry = byReason.get(outcome.hole.reason) ?? { hole: outcome.hole, cells: [] }
      entry.cells.push(kind)
      byReason.set(outcome.hole.reason, entry)
    }
    return [...byReason.values()].map((entry) => ({ feature, ...entry }))
  })
}

export function countVerdicts({ outcomes }: CellResult): { passed: number; explained: number; failed: number } {
  const verdicts = [...outcomes.values()].map(({ verdict }) => verdict)
  const count = (verdict: string) => verdicts.filter((one) => one === verdict).length
  return { passed: count('passes'), explained: count('explained'), failed: count('FAILS') }
}
