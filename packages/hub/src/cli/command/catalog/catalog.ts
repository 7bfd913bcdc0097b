import type { FileNote, FragmentView, ToolSelector, View } from '@herma/contract'
import { Command } from 'commander'

import { resolveHomes } from '../../../platform/file/homes.ts'
import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { compositeCommand, dryRunCommand } from './composite.ts'
import { diffCommand, historyCommand, pruneCommand, renderCommand, verifyCommand } from './drift.ts'
import { acceptCommand, overrideCommand, overridesCommand, resetCommand } from './override.ts'
import { approveCommand, pinsCommand, reviewCommand, scanCommand } from './pin.ts'
import { costCommand, listCommand, searchCommand, showCommand } from './tool.ts'

/** In the order of `herma catalog --help`. */
const commands = [
  listCommand,
  showCommand,
  searchCommand,
  costCommand,
  overrideCommand,
  resetCommand,
  acceptCommand,
  overridesCommand,
  fragmentsCommand,
  checkCommand,
  viewsCommand,
  compositeCommand,
  dryRunCommand,
  pinsCommand,
  reviewCommand,
  approveCommand,
  scanCommand,
  renderCommand,
  verifyCommand,
  diffCommand,
  historyCommand,
  pruneCommand,
]

export function catalogCommand(cli: Cli): Command {
  const catalog = new Command('catalog')
    .description('curate what clients see: overrides, fragments, approvals, drift')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) catalog.addCommand(create(cli))
  return catalog
}

const examples = `Examples:
  herma catalog list --all                                   every tool, hidden or not
  herma catalog override files read_file --name read_notes   say it better than its server
  herma catalog check my-fragment.json                       before it goes into the config home
  herma catalog review files read_file                       what did the server change?
  herma catalog verify --fail-on-drift                       for CI`

function fragmentsCommand(cli: Cli): Command {
  return new Command('fragments')
    .description('list the files of the catalog in their order, with errors; one that is not used makes it fail')
    .option('--reload', 'read the files again first; they are watched, so this is rarely needed')
    .action(async (flags: { reload?: boolean }) => {
      const { api } = await connectHub(cli)
      const answer = await (flags.reload ? api.reloadFragments() : api.listFragments())
      if (answer.fragments.some(({ isEnabled }) => !isEnabled)) cli.exitCode = exitCodes.failed
      cli.terminal.answer(answer, () => describeFragments(answer.fragments, cli.terminal))
    })
}

function checkCommand(cli: Cli): Command {
  return new Command('check')
    .description('check files of the catalog without a hub; absent: those of the config home')
    .argument('[file...]', 'fragments; one named custom_tools.json has custom tools')
    .action(async (files: string[]) => {
      const fragments = await readFiles(cli, files)
      if (fragments.some(({ isEnabled }) => !isEnabled)) cli.exitCode = exitCodes.failed
      cli.terminal.answer({ fragments }, () => describeFragments(fragments, cli.terminal))
    })
}

async function readFiles({ terminal }: Cli, files: readonly string[]): Promise<FragmentView[]> {
  // Loaded here, because no other command reads fragments itself.
  const { checkFragmentFile, mergeFragments, readFragments } = await import('../../../catalog/fragment/index.ts')
  const folders = { ...resolveHomes(terminal.env), workspace: process.cwd() }
  if (files.length > 0) return Promise.all(files.map((file) => checkFragmentFile(file, folders)))
  // Merged, so that what one file replaces of another is told too.
  return mergeFragments(await readFragments(folders)).views
}

/** The files in the order in which they are merged, then what is to be said about them, with line and column. */
function describeFragments(fragments: readonly FragmentView[], terminal: Terminal): string {
  const rows = fragments.map(({ file, kind, name, isEnabled, errors }) => [
    file,
    kind,
    isEnabled ? 'in use' : `not used: ${count(errors.length, 'error')}`,
    name,
  ])
  const table = formatTable([['FILE', 'KIND', 'STATE', 'NAME'], ...rows], terminal.columns)
  const [head = '', ...lines] = table.split('\n')
  const notes = fragments.flatMap(({ file, errors, differences }) => [
    ...errors.map((note) => terminal.style('red', describeNote(file, 'error', note))),
    ...differences.map((note) => terminal.style('yellow', describeNote(file, 'note', note))),
  ])
  return [terminal.style('bold', head), ...lines, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n')
}

function describeNote(file: string, kind: 'error' | 'note', { line, column, path, message }: FileNote): string {
  const place = [file, line, column].filter((part) => part !== null).join(':')
  return oneLine(`${place}: ${kind}: ${path === '' ? '' : `${path}: `}${message}`)
}

function viewsCommand(cli: Cli): Command {
  return new Command('views').description('list the views that servers and clients can have').action(async () => {
    const { api } = await connectHub(cli)
    const answer = await api.listViews()
    cli.terminal.answer(answer, () => describeViews(cli, answer.views))
  })
}

function describeViews({ terminal }: Cli, views: readonly View[]): string {
  if (views.length === 0) return 'There are no views. A fragment of the catalog adds them: "views": [{ "name": … }]'
  const rows = views.map(({ name, mode, for: whom, include, exclude, description }) => [
    name,
    mode ?? '-',
    describeWhom(whom),
    include.length === 0 ? 'all' : include.map(describeSelector).join('; '),
    exclude.length === 0 ? '-' : exclude.map(describeSelector).join('; '),
    description ?? '',
  ])
  return formatTable([['NAME', 'MODE', 'FOR', 'INCLUDES', 'EXCLUDES', 'DESCRIPTION'], ...rows], terminal.columns)
}

function describeWhom(whom: View['for']): string {
  const parts = Object.entries(whom ?? {}).map(([kind, names]) => `${kind} ${names.join(', ')}`)
  return parts.length === 0 ? '-' : parts.join('; ')
}

function describeSelector(selector: ToolSelector): string {
  const parts = Object.entries(selector).map(([field, value]) => `${field}=${value}`)
  return parts.length === 0 ? 'all' : parts.join(' ')
}
