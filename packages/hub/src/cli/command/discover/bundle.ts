import { basename, resolve } from 'node:path'
import type { BundleView, InstallRequest, RemoveRequest } from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import {
  addInstallFlags,
  carryOut,
  type CarryOutFlags,
  describeNeeds,
  installation,
  type InstallFlags,
  readInstallFlags,
  removal,
} from './install.ts'

/** In the order of `herma bundle --help`. */
const commands = [listCommand, showCommand, installCommand, removeCommand]

/** Connectors and tools that come and go as one. */
export function bundleCommand(cli: Cli): Command {
  const bundle = new Command('bundle')
    .description('connectors and tools that are installed and removed as one')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) bundle.addCommand(create(cli), { isDefault: create === listCommand })
  return bundle
}

const examples = `Examples:
  herma bundle                                          which there are
  herma bundle show starter                             what it brings and needs
  herma bundle install starter --value folder=$HOME/notes
  herma bundle install ./my-bundle                      a folder of your own
  herma bundle remove starter`

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the bundles that come with Herma and those that are installed')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listBundles()
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

function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show what a bundle brings and needs, and how it stands')
    .argument('<name>', 'name of the bundle')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const { bundles } = await api.listBundles()
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

function installCommand(cli: Cli): Command {
  return addInstallFlags(new Command('install'))
    .description('install a bundle: one that comes with Herma, or a folder with bundle.json on the machine of the hub')
    .argument('<bundle>', 'name of a bundle, or a path such as ./my-bundle')
    .action(async (bundle: string, flags: InstallFlags) => {
      const isFolder = bundle.includes('/') || bundle.startsWith('.')
      const folder = resolve(bundle)
      const source: InstallRequest['source'] = isFolder
        ? { kind: 'bundle', name: basename(folder), folder }
        : { kind: 'bundle', name: bundle }
      const body: InstallRequest = { source, ...(await readInstallFlags(flags, cli)) }
      await carryOut(cli, { ...installation(body), question: `Install the bundle '${source.name}'?` }, flags)
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove what a bundle brought; what was changed since is kept')
    .argument('<name>', 'name of the bundle')
    .option('--force', 'remove what was changed too')
    .option('--plan', 'only show what would be done')
    .option('-y, --yes', 'do not ask')
    .action((name: string, { force, ...flags }: CarryOutFlags & { force?: boolean }) => {
      const body: RemoveRequest = { kind: 'bundle', name, force: force === true }
      return carryOut(cli, { ...removal(body), question: `Remove the bundle '${name}'?` }, flags)
    })
}
