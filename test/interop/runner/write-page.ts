import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeRows, type Findings, type Row } from './report.ts'

const page = fileURLToPath(new URL('../../../docs/interop.md', import.meta.url))
const begin = '<!-- written by npm run interop -- --write -->'
const end = '<!-- until here -->'

/** Puts the tables of a run between the two marks of docs/interop.md. */
export async function writePage(findings: Findings): Promise<void> {
  const text = await readFile(page, 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`${page} has lost the marks between which the tables stand.`)
  await writeFile(page, `${before}${begin}\n\n${printTables(findings)}\n${end}${after}`)
}

export function printTables(findings: Findings): string {
  const rows = makeRows(findings)
  const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind)
  const { missing } = findings
  return [
    '### Agents\n',
    table(
      ['agent', 'version', 'checked'],
      of('agent').map((row) => [row.title, row.version, checks(row)]),
    ),
    '### Clients\n',
    table(
      ['client', 'version', 'connected', 'checks', 'does not do'],
      of('client').map((row) => [row.title, row.version, row.way, count(row), row.without.join(', ')]),
    ),
    '### Servers\n',
    table(
      ['server', 'version', 'connected', 'checks', 'checked'],
      of('server').map((row) => [row.title, row.version, row.way, count(row), checks(row)]),
    ),
    ...(missing.length > 0
      ? [`Not to be had when this was written: ${missing.map(({ name }) => name).join(', ')}.\n`]
      : []),
  ].join('\n')
}

function checks({ passed, failed }: Row): string {
  return [...passed, ...failed.map((name) => `**failed: ${name}**`)].join(', ')
}

function count({ counts: { passed, failed }, failed: names }: Row): string {
  return failed === 0 ? String(passed) : `${passed}; **${failed} failed**: ${names.join(', ')}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, index) => Math.max(name.length, ...rows.map((row) => row[index]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`
  return `${line(head)}${rule}${rows.map(line).join('')}`
}
