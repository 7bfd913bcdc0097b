import type { CatalogTool } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import { describeState } from './describe-state.ts'

interface Flags {
  server?: string
  all?: boolean
}

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the tools with their server, their cost in tokens and their state')
    .option('--server <name>', 'only those of one connector; herma has those that Herma runs itself')
    .option('--all', 'also those that clients do not see')
    .action(async (flags: Flags) => {
      const hub = await connectHub(cli)
      const query = new URLSearchParams({
        ...(flags.server === undefined ? {} : { server: flags.server }),
        ...(flags.all ? { all: 'true' } : {}),
      })
      const answer = await hub.send<{ tools: CatalogTool[] }>('GET', `/api/catalog/tools?${query.toString()}`)
      cli.terminal.answer(answer, () => describeTools(cli, answer.tools, flags))
    })
}

function describeTools({ terminal }: Cli, tools: readonly CatalogTool[], { server, all }: Flags): string {
  if (tools.length === 0) {
    const where = server === undefined ? 'Clients see no tools.' : `Clients see no tools of '${server}'.`
    return all
      ? 'There are no tools. See how the connectors are doing: herma list'
      : `${where} See: herma catalog list --all`
  }
  const rows = tools.map((tool) => [
    tool.name ?? '-',
    tool.connector,
    tool.originalName,
    String(tool.tokens),
    tool.pin === 'pending' ? `${describeState(tool)}, pending` : describeState(tool),
  ])
  const table = formatTable([['NAME', 'SERVER', 'TOOL', 'TOKENS', 'STATE'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const listed = tools.filter(({ name }) => name !== null)
  const tokens = listed.reduce((sum, tool) => sum + tool.tokens, 0)
  const hidden = all ? `, ${tools.length - listed.length} hidden` : ''
  return [
    terminal.style('bold', head),
    ...lines,
    '',
    `${count(listed.length, 'tool')} with ${count(tokens, 'token')}${hidden}.`,
  ].join('\n')
}
