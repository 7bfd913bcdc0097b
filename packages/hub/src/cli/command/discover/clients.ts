import type { ClientConfigView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function clientsCommand(cli: Cli): Command {
  return new Command('clients')
    .description('list the MCP clients on the machine of the hub, and the servers that they have')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ clients: ClientConfigView[] }>('GET', '/api/discovery/clients')
      cli.terminal.answer(answer, () => describeClients(cli, answer.clients))
    })
}

const words = { new: 'new', same: 'here already', herma: 'this hub', unreadable: 'cannot be read' }

function describeClients({ terminal }: Cli, clients: readonly ClientConfigView[]): string {
  const found = clients.filter(({ exists }) => exists)
  if (found.length === 0)
    return `No client has a configuration here. Looked for: ${clients.map(({ file }) => file).join(', ')}`
  const parts = found.map(({ id, file, problem, servers }) => {
    const rows = servers.map(({ name, state, sameAs, command, url, problem: reason }) => [
      `  ${name}`,
      sameAs === null ? words[state] : `here as ${sameAs}`,
      reason ?? command ?? url ?? '',
    ])
    const head = `${terminal.style('bold', id)}  ${file}`
    if (problem !== null) return `${head}\n  ${problem}`
    return rows.length === 0 ? `${head}\n  no servers` : `${head}\n${formatTable(rows, terminal.columns)}`
  })
  return [...parts, 'Take servers over: herma discover import CLIENT NAME…'].join('\n\n')
}
