import type { CellKind } from '../cell.ts'
import type { CellResult } from '../run-cell.ts'
import { countVerdicts, findFailures } from './summary.ts'

const shownCells = 3

/** The run for a terminal: how many features cross in each cell, then every failure. */
export function renderTable(results: readonly CellResult[]): string {
  const columns = [...new Set(results.map(({ kind }) => serverOf(kind)))]
  const rows = [...new Set(results.map(({ kind }) => clientOf(kind)))]
  const cells = new Map(results.map((result) => [`${clientOf(result.kind)}\n${serverOf(result.kind)}`, result]))
  const body = rows.map((row) => [
    row,
    ...columns.map((column) => {
      const result = cells.get(`${row}\n${column}`)
      return result === undefined ? '' : describe(result)
    }),
  ])
  const totals = results.map(countVerdicts)
  const sum = (field: 'passed' | 'explained' | 'failed') => totals.reduce((all, one) => all + one[field], 0)
  const failures = findFailures(results).flatMap(({ feature, reason, cells: where }) => [
    `FAILS ${feature}: ${reason}`,
    ...where.slice(0, shownCells).map((cell) => `      ${cell}`),
    ...(where.length > shownCells ? [`      and ${where.length - shownCells} more`] : []),
  ])
  return [
    'client ↓ server →: features that cross (! = features that fail)',
    ...align([['', ...columns], ...body]),
    '',
    ...failures,
    ...(failures.length > 0 ? [''] : []),
    `${results.length} cells: ${sum('passed')} passed, ${sum('explained')} explained, ${sum('failed')} failed`,
  ].join('\n')
}

function describe(result: CellResult): string {
  const { passed, failed } = countVerdicts(result)
  return failed === 0 ? String(passed) : `${passed}!${failed}`
}

// The year is enough to know a revision apart from its day, and keeps the table within a screen.
function serverOf({ server, serverTransport }: CellKind): string {
  return `${server.slice(2, 7)} ${serverTransport}`
}

function clientOf({ client, clientTransport }: CellKind): string {
  return `${client} ${clientTransport}`
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
