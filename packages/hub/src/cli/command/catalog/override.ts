import type { OverrideChange, OverrideView, ToolDetail, ToolOverride } from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { collect } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { readJsonValue } from '../../flag/json-option.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { describeTool, findToolPlace, type ToolPlace } from './tool.ts'

export function overrideCommand(cli: Cli): Command {
  return addOverrideFlags(new Command('override'))
    .description('say something about a tool in place of its server; it takes effect at once')
    .usage('SERVER TOOL [options]\n       herma catalog override NAME [options]')
    .argument('<server>', 'name of its connector, * and ? too, or the name that clients see')
    .argument('[tool]', 'its own name; * and ? too')
    .addHelpText(
      'after',
      `
Examples:
  herma catalog override files read_file --name read --description 'Reads a file of the project.'
  herma catalog override files 'delete_*' --disable
  herma catalog override read --clear name`,
    )
    .action(async (server: string, tool: string | undefined, flags: OverrideFlags) => {
      const change = await readOverrideFlags(flags, cli.terminal)
      if (Object.keys(change).length === 0) {
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma catalog override --help')
      }
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      const override = await hub.api.changeOverride({ ...place, body: change })
      const detail = hasWildcard(place) ? null : await findDetail(hub, place)
      cli.terminal.answer({ ...place, override }, () => describeChange(cli, place, detail))
      if (detail === null && !hasWildcard(place)) {
        cli.terminal.note(`'${place.server}' has no tool '${place.tool}' now. What you said waits until it has.`)
      }
    })
}

function hasWildcard({ server, tool }: ToolPlace): boolean {
  return /[*?]/.test(server + tool)
}

async function findDetail(hub: HubClient, place: ToolPlace): Promise<ToolDetail | null> {
  try {
    return await hub.api.getTool(place)
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notFound) return null
    throw error
  }
}

function describeChange({ terminal }: Cli, { server, tool }: ToolPlace, detail: ToolDetail | null): string {
  const changed = `Changed '${tool}' of '${server}'.`
  return detail === null
    ? `${changed} All of them: herma catalog overrides`
    : `${changed}\n\n${describeTool(detail, terminal)}`
}

export function resetCommand(cli: Cli): Command {
  return new Command('reset')
    .description('take everything back that was said about a tool by hand')
    .usage('SERVER TOOL [options]\n       herma catalog reset NAME [options]')
    .argument('<server>', 'name of its connector as herma catalog overrides shows it, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      await hub.api.removeOverride(place)
      cli.terminal.answer(
        { ...place, reset: true },
        () => `'${place.tool}' of '${place.server}' has no override by hand any more.`,
      )
    })
}

export function acceptCommand(cli: Cli): Command {
  return new Command('accept')
    .description('keep the overrides of a tool although its server changed what they are about')
    .usage('SERVER TOOL [options]\n       herma catalog accept NAME [options]')
    .argument('<server>', 'name of its connector, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      const detail = await hub.api.acceptOverride(place)
      cli.terminal.answer(detail, () => describeTool(detail, cli.terminal))
    })
}

export function overridesCommand(cli: Cli): Command {
  return new Command('overrides').description('list what was said about tools by hand').action(async () => {
    const { api } = await connectHub(cli)
    const answer = await api.listOverrides()
    cli.terminal.answer(answer, () => describeOverrides(cli, answer.overrides))
  })
}

function describeOverrides({ terminal }: Cli, overrides: readonly OverrideView[]): string {
  if (overrides.length === 0) return 'Nothing was said by hand. Say something: herma catalog override --help'
  const rows = overrides.flatMap(({ server, tool, override }) =>
    Object.entries(override).map(([field, value], index) => [
      ...(index === 0 ? [server, tool] : ['', '']),
      field,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
  return formatTable([['SERVER', 'TOOL', 'FIELD', 'OVERRIDE'], ...rows], terminal.columns)
}

interface OverrideFlags {
  name?: string
  title?: string
  description?: string
  enable?: boolean
  disable?: boolean
  tag?: string[]
  annotations?: string
  inputSchema?: string
  outputSchema?: string
  clear?: string[]
}

/** What `--clear` takes, and the field that it means. */
const clearable: Readonly<Record<string, keyof ToolOverride>> = {
  name: 'name',
  title: 'title',
  description: 'description',
  enabled: 'enabled',
  tags: 'tags',
  annotations: 'annotations',
  'input-schema': 'inputSchema',
  'output-schema': 'outputSchema',
}

function addOverrideFlags(command: Command): Command {
  return command
    .option('--name <name>', 'the name that clients see')
    .option('--title <text>', 'its title')
    .option('--description <text>', 'its description')
    .option('--enable', 'show it to clients, also when a file hides it')
    .option('--disable', 'hide it from clients; composites may still call it')
    .option('--tag <tag>', 'a tag; all of them are replaced', collect)
    .option('--annotations <json>', 'hints as JSON or a file, for example \'{"readOnlyHint": true}\'')
    .option('--input-schema <json>', 'JSON Schema of its arguments: JSON, a file, or - for standard input')
    .option('--output-schema <json>', 'JSON Schema of its results, the same way')
    .option('--clear <field>', `take one back: ${Object.keys(clearable).join(', ')}`, collect)
}

/** The change that the flags ask for. */
async function readOverrideFlags(flags: OverrideFlags, terminal: Terminal): Promise<OverrideChange> {
  if (flags.enable && flags.disable) throw new CliError(exitCodes.usage, 'Give --enable or --disable, not both.')
  const { name, title, description, tag, annotations, inputSchema, outputSchema } = flags
  const given: OverrideChange = {
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(flags.enable ? { enabled: true } : {}),
    ...(flags.disable ? { enabled: false } : {}),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(annotations === undefined ? {} : { annotations: await readJsonValue('--annotations', annotations, terminal) }),
    ...(inputSchema === undefined ? {} : { inputSchema: await readJsonValue('--input-schema', inputSchema, terminal) }),
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: await readJsonValue('--output-schema', outputSchema, terminal) }),
  }
  return { ...given, ...readCleared(flags.clear ?? [], given) }
}

function readCleared(words: readonly string[], given: OverrideChange): OverrideChange {
  const fields = words.map((word) => {
    const field = clearable[word]
    const known = Object.keys(clearable).join(', ')
    if (field === undefined) throw new CliError(exitCodes.usage, `--clear knows no '${word}'. It takes: ${known}`)
    if (field in given) throw new CliError(exitCodes.usage, `'${word}' is given and cleared. Do one of the two.`)
    return [field, null] as const
  })
  return Object.fromEntries(fields)
}
