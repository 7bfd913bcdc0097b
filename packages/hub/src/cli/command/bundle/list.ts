import type { BundleView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the bundles that come with Herma and those that are installed')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ bundles: BundleView[] }>('GET', '/api/discovery/bundles')
      cli.terminal.answer(answer, () => describeList(cli, answer.bundles))
    })
}

function describeList({ terminal }: Cli, bundles: readonly BundleView[]): string {
  const rows = bundles.map(({ name, state, connectors, description, problem }) => [
    name,
    state,
    connectors.map((connector) => connector.name).join(' ') || '-',
    problem ?? description,
  ])
  const [head = '', ...lines] = formatTable([['NAME', 'STATE', 'CONNECTORS', 'WHAT'], ...rows], terminal.columns).split(
    '\n',
  )
  return [terminal.style('bold', head), ...lines].join('\n')
}
