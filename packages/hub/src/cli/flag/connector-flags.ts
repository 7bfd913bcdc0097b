import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { ConnectorPatch, NamedValue } from '@herma/contract'
import { type Command, Option } from 'commander'

import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { readNamedValues } from './named-values.ts'

/** Flags that `add` and `edit` have in common. */
export interface ConnectorFlags {
  header?: string[]
  env?: string[]
  personalHeader?: string[]
  personalEnv?: string[]
  oauth?: string[]
  option?: string[]
  prefix?: string
  transport?: 'stream' | 'http' | 'sse'
  description?: string
  notes?: string
  cwd?: string
}

export function addConnectorFlags(command: Command): Command {
  return command
    .option('--header <K=V>', 'HTTP header; K=@FILE reads the value from a file, K=@- from standard input', collect)
    .option('--env <K=V>', 'environment variable of the process; K=@FILE and K=@- as above', collect)
    .option('--personal-header <name>', 'header that everybody gives a value of their own: herma credentials', collect)
    .option('--personal-env <name>', 'variable that everybody gives a value of their own', collect)
    .option(
      '--oauth <K=V>',
      'setting of its sign-in, for example clientId or scope; K=@FILE and K=@- as above',
      collect,
    )
    .option('--cwd <dir>', 'working directory of the process')
    .option('--prefix <prefix>', 'prefix of the exposed names, or none; absent: the name of the connector')
    .addOption(
      new Option('--transport <transport>', 'stream = Streamable HTTP, http = plain JSON, sse = HTTP+SSE').choices([
        'stream',
        'http',
        'sse',
      ]),
    )
    .option('--description <text>', 'what it is for')
    .option('--notes <text>', 'notes for people')
    .option('--option <key=value>', 'any option, for example start=boot or idleTimeoutMs=0', collect)
}

/** The fields of a connector that the flags set, with headers and variables apart: `edit` merges them. */
export async function readConnectorFlags(
  flags: ConnectorFlags,
  terminal: Terminal,
): Promise<{ fields: ConnectorPatch; headers: NamedValue[]; env: NamedValue[] }> {
  const isPersonal = (flags.personalHeader ?? flags.personalEnv) !== undefined
  const options = {
    ...(isPersonal && { credentials: 'personal' as const }),
    ...readOptions(flags.option),
    ...readPrefix(flags.prefix),
  }
  return {
    fields: {
      ...(flags.transport === undefined ? {} : { transport: flags.transport }),
      ...(flags.description === undefined ? {} : { description: flags.description }),
      ...(flags.notes === undefined ? {} : { notes: flags.notes }),
      ...(flags.cwd === undefined ? {} : { workingDir: resolve(flags.cwd) }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
      ...(flags.oauth === undefined ? {} : { oauth: await readOAuth(flags.oauth, terminal) }),
    },
    headers: [...(await readNamedValues('--header', flags.header ?? [], terminal)), ...personal(flags.personalHeader)],
    env: [...(await readNamedValues('--env', flags.env ?? [], terminal)), ...personal(flags.personalEnv)],
  }
}

/** Where the server is: a URL, or the command after `--`. */
export function readPlace(url: string | undefined, trailing: readonly string[]): ConnectorPatch {
  const [cmd, ...args] = trailing
  if (url !== undefined && cmd !== undefined) {
    throw new CliError(exitCodes.usage, 'Give a URL or, after --, a command; not both.')
  }
  if (cmd !== undefined) return { transport: 'stdio', cmd, args, ...implyWorkingDir(trailing) }
  if (url === undefined) return {}
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new CliError(
      exitCodes.usage,
      `'${url}' is not a URL (http://… or https://…). If it is a command, put -- before it: herma add NAME -- ${url} …`,
    )
  }
  return { transport: 'stream', baseUrl: url }
}

// The hub runs elsewhere, so a path relative to the shell's folder means something only together with that folder.
function implyWorkingDir([cmd = '', ...args]: readonly string[]): ConnectorPatch {
  // A command without a slash is looked up on the PATH.
  const words = cmd.includes('/') ? [cmd, ...args] : args
  const isHere = words.some((word) => word !== '' && !isAbsolute(word) && existsSync(word))
  return isHere ? { workingDir: process.cwd() } : {}
}

/** An empty value clears a setting. */
async function readOAuth(pairs: readonly string[], terminal: Terminal): Promise<ConnectorPatch['oauth']> {
  const values = await readNamedValues('--oauth', pairs, terminal)
  return Object.fromEntries(values.map(({ name, value }) => [name, value === '' ? null : value]))
}

function personal(names: readonly string[] = []): NamedValue[] {
  return names.map((name) => ({ name, personal: true }))
}

function readPrefix(prefix: string | undefined): ConnectorPatch['options'] {
  if (prefix === undefined) return {}
  return { prefix: prefix === 'none' ? '' : prefix }
}

function readOptions(pairs: readonly string[] = []): ConnectorPatch['options'] {
  const options = pairs.map((pair) => {
    const end = pair.indexOf('=')
    if (end < 1) throw new CliError(exitCodes.usage, `--option needs KEY=VALUE, not '${pair}'.`)
    const [key, value] = [pair.slice(0, end), pair.slice(end + 1)]
    return [key, key === 'prefix' ? value : readValue(value)]
  })
  return Object.fromEntries(options) as ConnectorPatch['options']
}

/** A prefix of digits stays text; what else looks like a number or a switch is one. */
function readValue(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^-?\d+$/.test(value) ? Number(value) : value
}

/** Gathers the values of a flag that may be given several times. */
export function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value]
}
