import type { OverrideChange, ToolOverride } from '@herma/contract'
import type { Command } from 'commander'

import { collect } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'
import { readJsonValue } from './read-json-value.ts'

export interface OverrideFlags {
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

export function addOverrideFlags(command: Command): Command {
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
export async function readOverrideFlags(flags: OverrideFlags, terminal: Terminal): Promise<OverrideChange> {
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
