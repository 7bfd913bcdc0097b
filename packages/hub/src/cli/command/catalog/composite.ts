import type { CompositeView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatTable } from '../../format-table.ts'
import type { HubClient } from '../../hub-client.ts'
import { readComposite } from './read-composite.ts'

/** Tools that are made of other tools. */
export function compositeCommand(cli: Cli): Command {
  return new Command('composite')
    .description('aggregates and pipelines: tools that are made of other tools')
    .addHelpText('after', `\n${examples}`)
    .addCommand(listCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(setCommand(cli))
    .addCommand(removeCommand(cli))
}

const examples = `A definition with "operations" is an aggregate, one with "steps" is a pipeline. See docs/fragments.md.
Those that are made here are kept in catalog/herma.json of the config home; those of other files are changed there.

Examples:
  herma catalog composite set desk.json                     add it, or change the one of its name
  herma catalog composite set desk.json --rename workspace  'workspace' becomes this one
  herma catalog dry-run --definition desk.json --json '{"operation": "read"}'`

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('every aggregate and pipeline, and the file that it is in')
    .action(async () => {
      const composites = await list(await connectHub(cli))
      cli.terminal.answer({ composites }, () => describe(cli, composites))
    })
}

function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('the definition of one, as JSON')
    .argument('<name>', 'name of the aggregate or pipeline')
    .action(async (name: string) => {
      const composite = (await list(await connectHub(cli))).find((each) => each.name === name)
      if (composite === undefined) {
        const message = `No aggregate or pipeline is named '${name}'. See: herma catalog composite list`
        throw new CliError(exitCodes.notFound, message)
      }
      cli.terminal.answer(composite, () => JSON.stringify(composite.definition, null, 2))
    })
}

function setCommand(cli: Cli): Command {
  return new Command('set')
    .description('add an aggregate or a pipeline, or change the one of its name')
    .argument('<file>', 'its definition as JSON, or - for standard input')
    .option('--rename <name>', 'the one that gets this definition, and its name')
    .action(async (file: string, { rename }: { rename?: string }) => {
      const input = await readComposite('The definition', file, cli.terminal)
      const hub = await connectHub(cli)
      const saved = await hub.send<CompositeView>('PUT', path(rename ?? input.definition.name), input)
      cli.terminal.answer(saved, () => `Saved the ${saved.kind} '${saved.name}' in ${saved.file}.`)
      for (const note of saved.notes) cli.terminal.note(oneLine(note))
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove an aggregate or a pipeline that was made here')
    .argument('<name>', 'its name')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', path(name))
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

async function list(hub: HubClient): Promise<CompositeView[]> {
  return (await hub.send<{ composites: CompositeView[] }>('GET', '/api/catalog/composites')).composites
}

function path(name: string): string {
  return `/api/catalog/composites/${encodeURIComponent(name)}`
}

function describe({ terminal }: Cli, composites: readonly CompositeView[]): string {
  if (composites.length === 0) return 'There are none. Add one: herma catalog composite set FILE'
  const rows = composites.map(({ name, kind, file, problem }) => [
    name,
    kind,
    file,
    problem === null ? 'in use' : oneLine(`not used: ${problem}`),
  ])
  return formatTable([['NAME', 'KIND', 'FILE', 'STATE'], ...rows], terminal.columns)
}
