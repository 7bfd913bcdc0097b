import type { Collision, ToolSummary } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { formatTable } from '../format-table.ts'
import { connectorPath } from '../hub-client.ts'
import { showProgress } from '../show-progress.ts'

interface Answer {
  tools: ToolSummary[]
  collisions?: Collision[]
}

export function toolsCommand(cli: Cli): Command {
  return new Command('tools')
    .description('list the tools that clients see, of all connectors or of one')
    .argument('[name]', 'name of a connector')
    .action(async (name: string | undefined) => {
      const hub = await connectHub(cli)
      const path = name === undefined ? '/api/tools' : connectorPath(name, '/tools')
      const answer = await showProgress(cli.terminal, 'Listing tools', hub.send<Answer>('GET', path))
      cli.terminal.answer(answer, () => describeTools(cli, answer))
    })
}

function describeTools({ terminal }: Cli, { tools, collisions = [] }: Answer): string {
  if (tools.length === 0) return 'No tools. See how the connectors are doing: herma list'
  const table = formatTable(
    tools.map(({ name, title, description }) => [name, description.trim().split('\n', 1)[0] || (title ?? '')]),
    terminal.columns,
  )
  const notes = collisions.map(({ kind, wanted, winner, loser, exposedAs }) => {
    const given = exposedAs === null ? 'is not reachable' : `is called ${exposedAs}`
    return [`The ${kind} ${wanted} is offered by ${winner}; that of ${loser} ${given}.`]
  })
  return notes.length === 0 ? table : `${table}\n\n${formatTable(notes)}`
}
