import type { BundleView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatFields, formatTable } from '../../format-table.ts'
import { describeNeeds } from '../discover/show.ts'

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show what a bundle brings and needs, and how it stands')
    .argument('<name>', 'name of the bundle')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const { bundles } = await hub.send<{ bundles: BundleView[] }>('GET', '/api/discovery/bundles')
      const bundle = bundles.find((each) => each.name === name)
      if (bundle === undefined) {
        const names = bundles.map((each) => each.name).join(', ')
        throw new CliError(exitCodes.notFound, `No bundle is named '${name}'. There are: ${names}`)
      }
      cli.terminal.answer(bundle, () => describeBundle(bundle))
    })
}

function describeBundle(bundle: BundleView): string {
  const { name, title, description, state, problem, folder, connectors, tools, needs, programs } = bundle
  const missing = programs.filter(({ path }) => path === null)
  const rows = connectors.map((each) => [`  ${each.name}`, each.state, each.command ?? each.url ?? ''])
  const fields: [string, string][] = [
    ['name', name],
    ['title', title],
    ['state', problem === null ? state : `${state}: ${problem}`],
    ['what', description],
    ['folder', folder],
    ['tools', tools.join(', ') || '-'],
    [
      'programs',
      missing.length === 0 ? 'all there' : missing.map((each) => `${each.name} is missing. ${each.fix}`).join('\n'),
    ],
  ]
  return [
    formatFields(fields),
    ...(rows.length === 0 ? [] : ['', formatTable(rows)]),
    ...(needs.length === 0 ? [] : ['', describeNeeds(needs)]),
  ].join('\n')
}
