import type { ConnectorView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { describePlace } from '../describe-place.ts'
import { formatTable } from '../format-table.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the connectors and how they are doing')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ connectors: ConnectorView[] }>('GET', '/api/connectors')
      cli.terminal.answer(answer, () => describeList(cli, answer.connectors))
    })
}

function describeList({ terminal }: Cli, connectors: readonly ConnectorView[]): string {
  if (connectors.length === 0) return 'No connectors yet. Add one: herma add NAME URL, or herma add NAME -- CMD ARGS'
  const rows = connectors.map((connector) => [
    connector.name,
    connector.problem === null ? connector.health.state : 'problem',
    connector.transport,
    String(connector.counts.tools),
    describePlace(connector),
  ])
  const table = formatTable([['NAME', 'STATE', 'TRANSPORT', 'TOOLS', 'WHERE'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const problems = connectors.flatMap(({ name, problem, health }) => {
    const reason =
      problem ?? (health.state === 'failed' || health.state === 'backoff' ? health.lastError?.message : null)
    return reason ? [`${name}: ${reason}`] : []
  })
  return [
    terminal.style('bold', head),
    ...lines,
    ...(problems.length === 0 ? [] : ['', formatTable(problems.map((line) => [line]))]),
  ].join('\n')
}
