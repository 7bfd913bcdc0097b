import { oneLine } from './clean-text.ts'

/** Aligns rows into columns. Given a width, the last column is cut to fit it. */
export function formatTable(rows: readonly (readonly string[])[], width?: number): string {
  const cells = rows.map((row) => row.map(oneLine))
  const columns = Math.max(0, ...cells.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(0, ...cells.map((row) => (row[index] ?? '').length)),
  )
  return cells
    .map((row) => {
      const line = row.map((cell, index) => (index === columns - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join('  ')
      return cut(line.trimEnd(), width)
    })
    .join('\n')
}

/** Aligns names and values. A value of several lines is indented under its first. */
export function formatFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  return fields
    .map(([name, value]) => `${name.padEnd(width)}  ${value.replaceAll('\n', `\n${' '.repeat(width + 2)}`)}`)
    .join('\n')
}

function cut(line: string, width?: number): string {
  return width === undefined || line.length <= width ? line : `${line.slice(0, Math.max(1, width - 1))}…`
}
