import type { Footprint } from '../measure/footprint.ts'
import type { Goal } from './judge-goals.ts'
import type { Row } from './summarise.ts'

/** A table before it is text: the first row is the head. */
export type Table = string[][]

/** The figures of one case; each ratio to `bare` stands behind its figure. */
export function caseTable(rows: Row[]): Table {
  const head = [
    'target',
    'calls/s',
    '× bare',
    'from – to',
    'p50 ms',
    '× bare',
    'p99 ms',
    '× bare',
    'CPU µs/call',
    '× bare',
    'of the client',
    'peak RSS MB',
    '× bare',
  ]
  const body = rows.map((row) => [
    row.failures > 0 ? `${row.target} (${row.failures} WRONG)` : row.target,
    ...pair(row.callsPerSecond, row.toBare.callsPerSecond, 0),
    row.spread === null ? '–' : `${row.spread[0].toFixed(2)} – ${row.spread[1].toFixed(2)}`,
    ...pair(row.p50Ms, row.toBare.p50Ms, 3),
    ...pair(row.p99Ms, row.toBare.p99Ms, 3),
    ...pair(row.cpuUsPerCall, row.toBare.cpuUsPerCall, 0),
    Number.isNaN(row.clientCpuUsPerCall) ? '–' : row.clientCpuUsPerCall.toFixed(0),
    ...pair(row.peakRssMb, row.toBare.peakRssMb, 0),
  ])
  return [head, ...body]
}

export function goalTable(goals: Goal[]): Table {
  return [
    ['goal', 'wanted', 'got', 'verdict'],
    ...goals.map(({ what, wanted, got, verdict }) => [what, wanted, got, verdict]),
  ]
}

export function footprintTable({ idleEmpty, idleFull, start, connections }: Footprint): Table {
  const idle = (memory: Footprint['idleEmpty']) =>
    typeof memory === 'string'
      ? [firstLine(memory), '']
      : [`${memory.hubRssMb.toFixed(0)} MB`, `${memory.withStoreMb.toFixed(0)} MB`]
  const startCells =
    typeof start === 'string'
      ? [firstLine(start), '']
      : [`${start.firstListMs.toFixed(0)} ms`, `all tools: ${start.completeListMs.toFixed(0)} ms`]
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
  const connectionRows =
    typeof connections === 'string'
      ? [['idle legacy connection', firstLine(connections), '']]
      : [
          [
            'idle legacy connection (heap, RSS)',
            kilobytes(connections.heapBytesEach),
            kilobytes(connections.rssBytesEach),
          ],
          [
            '… with an open GET stream',
            kilobytes(connections.streamHeapBytesEach),
            kilobytes(connections.streamRssBytesEach),
          ],
        ]
  return [
    ['Herma at rest', '', ''],
    ['idle, no connectors (hub RSS, with PostgreSQL)', ...idle(idleEmpty)],
    ['idle, 10 connectors, 1,000 tools (hub RSS, with PostgreSQL)', ...idle(idleFull)],
    ['first tools/list after `herma up`', ...startCells],
    ...connectionRows,
  ]
}

export function textTable(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const pad = (cell: string, column: number) =>
    isNumeric(table, column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
  const lines = table.map((row) => row.map(pad).join('  '))
  return lines.map((line) => `  ${line.trimEnd()}`).join('\n')
}

export function markdownTable(table: Table): string {
  const [head = [], ...body] = table
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, column) => (isNumeric(table, column) ? '---:' : '---'))
  return [line(head), line(rule), ...body.map(line)].join('\n')
}

/** Figures stand on the right, words on the left. */
const isNumeric = ([, ...body]: Table, column: number) => body.every((row) => /^[\d–]/.test(row[column] ?? ''))

const firstLine = (text: string) => `not measured: ${text.split('\n')[0]}`

function pair(value: number | null, ratio: number | null, digits: number): string[] {
  const shown =
    value === null || Number.isNaN(value)
      ? '–'
      : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return [shown, ratio === null ? '–' : ratio.toFixed(2)]
}
