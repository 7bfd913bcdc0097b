import type { Result } from './judge-checks.ts'

export type Column = {
  name: string
  results: readonly Result[]
  /** Scenarios that were not run, with the feature that the hub lacks for them. */
  notYet: readonly { scenario: string; reason: string }[]
}

/** The scenarios as rows and the legs as columns, with how many passed below. */
export function printTable(columns: readonly Column[]): string {
  const scenarios = [...new Set(columns.flatMap(({ results }) => results.map(({ scenario }) => scenario)))]
  const rows = [
    ['scenario', ...columns.map(({ name }) => name)],
    ...scenarios.map((scenario) => [
      scenario,
      ...columns.map(({ results }) => printCell(results.find((result) => result.scenario === scenario))),
    ]),
    ['passed', ...columns.map(printTotal)],
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [lines[0], rule, ...lines.slice(1, -1), rule, lines.at(-1), ''].join('\n')
}

/** Passed scenarios of those that gave a verdict, and what happened to the others. */
export function printTotal({ results, notYet }: Column): string {
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  const rest = [
    [count('cannot cross'), 'cannot cross'],
    [count('skipped'), 'skipped'],
    [notYet.length, 'not yet'],
  ] as const
  const notes = rest.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : []))
  const total = `${count('pass')}/${results.length - count('skipped')}`
  return notes.length === 0 ? total : `${total} (${notes.join(', ')})`
}

function printCell(result: Result | undefined): string {
  if (!result) return '·'
  const { outcome, passed, failed, messages } = result
  switch (outcome) {
    case 'pass':
      return `pass ${passed}${messages.length > 0 ? ` (${messages.length} warned)` : ''}`
    case 'fail':
      return `FAIL ${failed} of ${passed + failed}`
    case 'cannot cross':
      return passed > 0 ? `cannot cross (${passed} passed)` : 'cannot cross'
    case 'skipped':
      return 'skipped'
  }
}
