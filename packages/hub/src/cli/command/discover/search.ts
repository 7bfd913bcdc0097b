import type { RegistryPage } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { registryPath } from './registry-path.ts'

export function searchCommand(cli: Cli): Command {
  return new Command('search')
    .description('search a registry of MCP servers by their names')
    .argument('[words...]', 'a part of the name; absent: all')
    .option('--registry <url>', 'one of: herma discover registry; absent: the first')
    .option('--cursor <cursor>', 'the next page')
    .action(async (words: string[], { registry, cursor }: { registry?: string; cursor?: string }) => {
      const hub = await connectHub(cli)
      const page = await hub.send<RegistryPage>('GET', registryPath({ query: words.join(' '), registry, cursor }))
      cli.terminal.answer(page, () => describePage(cli, page))
    })
}

function describePage({ terminal }: Cli, { servers, nextCursor, registry }: RegistryPage): string {
  if (servers.length === 0) return `Nothing in ${registry} has this in its name. Try a shorter word.`
  const rows = servers.map(({ name, version, options, connectors, description }) => [
    name,
    version,
    [...new Set(options.map(({ kind }) => kind))].join(' ') || '-',
    connectors.length === 0 ? '' : `here: ${connectors.join(' ')}`,
    description,
  ])
  const table = formatTable([['NAME', 'VERSION', 'AS', '', 'WHAT'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const next = nextCursor === null ? [] : ['', `More: herma discover search … --cursor '${nextCursor}'`]
  return [terminal.style('bold', head), ...lines, ...next, '', 'See what one needs: herma discover show NAME'].join(
    '\n',
  )
}
