import type { CostReport } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'

export function costCommand(cli: Cli): Command {
  return new Command('cost')
    .description('show what the definitions of the tools cost a model, in tokens (about)')
    .action(async () => {
      const hub = await connectHub(cli)
      const report = await hub.send<CostReport>('GET', '/api/catalog/cost')
      cli.terminal.answer(report, () => describeCost(cli, report))
    })
}

function describeCost({ terminal }: Cli, { tokens, tools, servers, costliest, modes }: CostReport): string {
  const tables = [
    [['SERVER', 'TOOLS', 'TOKENS'], ...servers.map((each) => [each.server, String(each.tools), String(each.tokens)])],
    [
      ['COSTLIEST TOOLS', 'SERVER', 'TOKENS'],
      ...costliest.map((each) => [each.name, each.server, String(each.tokens)]),
    ],
    [['MODE', 'TOKENS AT THE START'], ...modes.map((each) => [each.mode, String(each.tokens)])],
  ]
  const shown = tables.filter((rows) => rows.length > 1).map((rows) => formatTable(rows, terminal.columns))
  return [`${count(tools, 'tool')}, ${count(tokens, 'token')}.`, ...shown].join('\n\n')
}
