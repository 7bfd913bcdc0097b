import type { DiscoveredServer, DiscoveryNeed, DiscoveryOption, RegistryPage } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatFields, formatTable } from '../../format-table.ts'
import { registryPath } from './registry-path.ts'

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show a server of a registry: how it can be had, and what it needs')
    .argument('<name>', 'as herma discover search prints it')
    .option('--registry <url>', 'one of: herma discover registry; absent: the first')
    .action(async (name: string, { registry }: { registry?: string }) => {
      const hub = await connectHub(cli)
      const { servers } = await hub.send<RegistryPage>('GET', registryPath({ query: name, registry }))
      const server = servers.find((each) => each.name === name)
      if (server === undefined)
        throw new CliError(
          exitCodes.notFound,
          `The registry has no '${name}'. Search for it: herma discover search WORDS`,
        )
      cli.terminal.answer(server, () => describeServer(cli, server))
    })
}

function describeServer({ terminal }: Cli, server: DiscoveredServer): string {
  const { name, title, description, version, status, statusMessage, repository, connectors } = server
  const fields: [string, string][] = [
    ['name', name],
    ['title', title],
    ['version', status === 'active' ? version : `${version} (${status}) ${statusMessage}`],
    ['what', description],
    ['source', repository ?? '-'],
    ['here as', connectors.join(', ') || '-'],
  ]
  const options = server.options.map((option) => describeOption(option, (text) => terminal.style('bold', text)))
  return [formatFields(fields), ...options, '', `Install it: herma discover install ${name} [--option ID]`].join('\n')
}

function describeOption({ id, command, url, needs, whyNot }: DiscoveryOption, bold: (text: string) => string): string {
  const lines = ['', bold(id), whyNot === null ? `  ${command ?? url ?? ''}` : `  cannot be installed: ${whyNot}`]
  return needs.length === 0 ? lines.join('\n') : [...lines, describeNeeds(needs)].join('\n')
}

/** What has to be given, one line for each. */
export function describeNeeds(needs: readonly DiscoveryNeed[]): string {
  const rows = needs.map(({ id, isRequired, isSecret, default: byDefault, choices, description }) => [
    `  --value ${id}=…`,
    [isRequired ? 'required' : 'optional', ...(isSecret ? ['secret'] : [])].join(', '),
    [
      description,
      ...(byDefault === null ? [] : [`Default: ${byDefault}`]),
      ...(choices.length === 0 ? [] : [`One of: ${choices.join(', ')}`]),
    ]
      .filter((text) => text !== '')
      .join(' '),
  ])
  return formatTable(rows)
}
