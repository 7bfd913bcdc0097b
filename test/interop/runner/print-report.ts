import { countAll, makeRows, type Findings, type Row } from './report.ts'

const maxReasonCharacters = 1500
const headings: Record<Row['kind'], string> = {
  agent: 'Agents: the hub is added and listed',
  client: 'Clients',
  server: 'Servers, each with every client that keeps a connection',
}

/** A row for each client and server, then reasons and failures; the last line counts. */
export function printReport(findings: Findings): string {
  const { missing } = findings
  const { passed, failed } = countAll(findings)
  const lost = missing.map(({ name, reason }) => `COULD NOT BE HAD: ${name}: ${indent(shorten(reason))}\n`).join('')
  const total = `${passed} passed, ${failed} failed${missing.length > 0 ? `, ${missing.length} could not be had` : ''}\n`
  return [printRows(makeRows(findings)), printReasons(findings), printFailures(findings), lost, total]
    .filter((part) => part !== '')
    .join('\n')
}

function printRows(rows: readonly Row[]): string {
  const titles = rows.map((row) => [row.title, row.version, row.way].filter(Boolean).join(' '))
  const width = Math.max(...titles.map((title) => title.length))
  const line = (row: Row) => {
    const title = [row.title, row.version, row.way].filter(Boolean).join(' ').padEnd(width)
    const counted = `${row.counts.passed}/${row.counts.passed + row.counts.failed}`.padStart(7)
    const failed = row.failed.length > 0 ? `FAILED: ${row.failed.join(', ')}; ` : ''
    return `  ${row.failed.length > 0 ? 'FAIL' : 'ok  '} ${title} ${counted}  ${failed}${row.passed.join(', ')}\n`
  }
  return (['agent', 'client', 'server'] as const)
    .map((kind) => {
      const lines = rows.filter((row) => row.kind === kind).map(line)
      return lines.length === 0 ? '' : `${headings[kind]}\n${lines.join('')}`
    })
    .filter((part) => part !== '')
    .join('\n')
}

/** What makes no sense with a client or server, each reason once for all that it explains. */
function printReasons({ trials }: Findings): string {
  const lines = trials.flatMap(({ client, way, cells }) =>
    groupByReason(
      `${client.name} ${way.name}`,
      cells.flatMap(({ attempt, server, verdict, reason }) =>
        verdict === '–'
          ? [{ what: server === undefined ? attempt : `${attempt} of ${server}`, reason: reason ?? '' }]
          : [],
      ),
    ),
  )
  return lines.length === 0 ? '' : `Not tried:\n${[...new Set(lines)].join('')}`
}

function printFailures({ agents, trials, broken, servers }: Findings): string {
  const lines = [
    ...agents.flatMap(({ agent, cells }) =>
      groupByReason(
        `FAIL ${agent.name}`,
        cells.flatMap(({ check, reason }) => (reason === undefined ? [] : [{ what: check, reason }])),
      ),
    ),
    ...servers.flatMap(({ name, title, transport }) =>
      groupByReason(
        `FAIL ${title} over ${transport}`,
        broken[name] === undefined ? [] : [{ what: 'it starts', reason: broken[name] }],
      ),
    ),
    ...trials.flatMap(({ client, way, cells }) =>
      groupByReason(
        `FAIL ${client.name} ${way.name}`,
        cells.flatMap(({ attempt, server, verdict, reason }) =>
          verdict === 'FAIL'
            ? [{ what: server === undefined ? attempt : `${attempt} of ${server}`, reason: reason ?? '' }]
            : [],
        ),
      ),
    ),
  ]
  return lines.join('')
}

function groupByReason(title: string, entries: readonly { what: string; reason: string }[]): string[] {
  return [...new Set(entries.map(({ reason }) => reason))].map((reason) => {
    const whats = entries.filter((entry) => entry.reason === reason).map(({ what }) => what)
    return `  ${title} (${whats.join('; ')}): ${indent(shorten(reason))}\n`
  })
}

function indent(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n    ')
}

function shorten(text: string): string {
  return text.length <= maxReasonCharacters ? text : `${text.slice(0, maxReasonCharacters)}…`
}
