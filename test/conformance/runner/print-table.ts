import type { Result } from './judge-checks.ts'

export type Column = { name: string; results: readonly Result[] }

/** The scenarios as rows and the legs as columns, with `pass/applicable` below. */
export function printTable(columns: readonly Column[]): string {
  const scenarios = [...new Set(columns.flatMap(({ results }) => results.map(({ scenario }) => scenario)))]
  const rows = [
    ['scenario', ...columns.map(({ name }) => name)],
    ...scenarios.map((scenario) => [
      scenario,
      ...columns.map(({ results }) => printCell(results.find((result) => result.scenario === scenario))),
    ]),
    ['passed', ...columns.map(({ results }) => printTotal(results))],
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

/** Passed scenarios of those that gave a verdict. */
export function printTotal(results: readonly Result[]): string {
  const passed = results.filter(({ outcome }) => outcome === 'pass').length
  const skipped = results.filter(({ outcome }) => outcome === 'skipped').length
  return `${passed}/${results.length - skipped}${skipped > 0 ? ` (${skipped} skipped)` : ''}`
}

function printCell(result: Result | undefined): string {
  if (!result) return '·'
  switch (result.outcome) {
    case 'pass':
      return `pass ${result.passed}${result.messages.length > 0 ? ` (${result.messages.length} warned)` : ''}`
    case 'fail':
      return `FAIL ${result.failed} of ${result.passed + result.failed}`
    case 'skipped':
      return 'skipped'
  }
}
