import { attemptNames, type AttemptName } from './attempts.ts'

export type Cell = 'ok' | 'FAIL' | '–'

/** What one way of a client came to. */
export interface Column {
  readonly client: string
  readonly way: string
  readonly cells: Readonly<Record<AttemptName, Cell>>
}

/** The attempts as rows, the ways of each client as columns below its name. */
export function printTable(columns: readonly Column[]): string {
  const names = [...new Set(columns.map(({ client }) => client))]
  const groups = names.map((name) =>
    layGroup(
      name,
      columns.filter(({ client }) => client === name),
    ),
  )
  const titleWidth = Math.max(...attemptNames.map((name) => name.length))
  const line = (title: string, parts: readonly string[]) => [title.padEnd(titleWidth), ...parts].join('  ').trimEnd()
  return [
    line(
      '',
      groups.map(({ name }) => name),
    ),
    line(
      '',
      groups.map(({ ways }) => ways),
    ),
    line(
      '─'.repeat(titleWidth),
      groups.map(({ rule }) => rule),
    ),
    ...attemptNames.map((name) =>
      line(
        name,
        groups.map(({ row }) => row(name)),
      ),
    ),
    '',
  ].join('\n')
}

function layGroup(name: string, columns: readonly Column[]) {
  const ways = columns.map(({ way }) => way)
  const widths = ways.map((way) => Math.max(way.length, 4))
  const total = widths.reduce((sum, width) => sum + width + 1, -1)
  // The last column takes what the name of the client needs more.
  widths.push((widths.pop() ?? 0) + Math.max(0, name.length - total))
  const join = (cells: readonly string[]) => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' ')
  const ruleWidth = join(ways).length
  return {
    name: name.padEnd(ruleWidth),
    ways: join(ways),
    rule: '─'.repeat(ruleWidth),
    row: (attempt: AttemptName) => join(columns.map(({ cells }) => cells[attempt])),
  }
}
