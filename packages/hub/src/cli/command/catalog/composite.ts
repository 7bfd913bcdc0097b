import type { CompositeInput, CompositeView, DryRunReport, DryRunRequest } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { jsonInput, type JsonOption, parseJsonObject, readJsonValue } from '../../flag/json-option.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Terminal } from '../../terminal/terminal.ts'

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
      const { api } = await connectHub(cli)
      const saved = await api.saveComposite({ name: rename ?? input.definition.name, body: input })
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
      const { api } = await connectHub(cli)
      await api.removeComposite({ name })
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

async function list(hub: HubClient): Promise<CompositeView[]> {
  return (await hub.api.listComposites()).composites
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

const inputLimitBytes = 16_777_216

export function dryRunCommand(cli: Cli): Command {
  return new Command('dry-run')
    .description('show what an aggregate or a pipeline would call; nothing is run')
    .argument('[tool]', 'name of the aggregate or pipeline')
    .option('--definition <file>', 'one that is not saved, in place of a name; - for standard input')
    .addOption(jsonInput('ARGUMENTS'))
    .addHelpText(
      'after',
      `
Example:
  herma catalog dry-run workspace --json '{"operation": "read", "path": "notes.txt"}'
  herma catalog dry-run --definition draft.json --json '{"operation": "read"}'`,
    )
    .action(async (tool: string | undefined, { json, definition }: { json?: JsonOption; definition?: string }) => {
      if ((tool === undefined) === (definition === undefined))
        throw new CliError(exitCodes.usage, 'Name a composite, or give one with --definition FILE.')
      const draft =
        definition === undefined ? {} : { definition: await readComposite('--definition', definition, cli.terminal) }
      const text = json?.text === '-' ? await cli.terminal.readInput(inputLimitBytes) : json?.text
      const args = text === undefined ? {} : parseJsonObject(text, 'The arguments')
      const { api } = await connectHub(cli)
      const request: DryRunRequest = { ...(tool === undefined ? draft : { tool }), arguments: args }
      const report = await api.dryRun({ body: request })
      if (report.problems.length > 0) cli.exitCode = exitCodes.failed
      cli.terminal.answer(report, () => describeReport(cli, report))
    })
}

function describeReport({ terminal }: Cli, { calls, problems }: DryRunReport): string {
  const steps = calls.flatMap(({ step, server, tool, arguments: args, note }) => {
    const head = oneLine(`${step}: ${server === null ? '' : `${server} `}${tool}${note === null ? '' : ` (${note})`}`)
    return [terminal.style('bold', head), `  ${oneLine(JSON.stringify(args))}`]
  })
  const lines = [
    ...(calls.length === 0 ? ['It would call nothing.'] : steps),
    ...problems.map((problem) => terminal.style('red', `Problem: ${oneLine(problem)}`)),
  ]
  return lines.join('\n')
}

/** Reads the definition of a composite: the JSON itself, the name of a file, or - for standard input. The hub checks it. */
async function readComposite(what: string, given: string, terminal: Terminal): Promise<CompositeInput> {
  const definition = await readJsonValue(what, given, terminal)
  if (typeof definition['name'] !== 'string') throw new CliError(exitCodes.usage, `${what} needs a "name".`)
  const [isAggregate, isPipeline] = ['operations' in definition, 'steps' in definition]
  if (isAggregate === isPipeline) {
    const message = `${what} needs "operations", as an aggregate, or "steps", as a pipeline. See docs/fragments.md.`
    throw new CliError(exitCodes.usage, message)
  }
  return { kind: isAggregate ? 'aggregate' : 'pipeline', definition } as unknown as CompositeInput
}
