import { resolve } from 'node:path'
import type { BindingPatch, BindingView } from '@herma/contract'
import { type Command, Option } from 'commander'

import { collect, readConnectorFlags } from '../../connector-flags.ts'
import type { Terminal } from '../../terminal.ts'
import { mergeNamedValues } from '../edit.ts'
import { clearFields } from './clear-fields.ts'

export interface BindingFlags {
  header?: string[]
  env?: string[]
  option?: string[]
  cwd?: string
  tool?: string[]
  enable?: boolean
  disable?: boolean
  removeHeader?: string[]
  removeEnv?: string[]
  clear?: string[]
}

const clearable = { option: { options: {} }, cwd: { cwd: null }, tool: { allowedTools: null } }

export function addBindingFlags(command: Command): Command {
  return command
    .option('--tool <glob>', 'a tool that the session may use, by its name at the server; absent: all', collect)
    .option('--header <K=V>', 'HTTP header; K=@FILE reads the value from a file, K=@- from standard input', collect)
    .option('--env <K=V>', 'environment variable of its process; K=@FILE and K=@- as above', collect)
    .option('--option <key=value>', 'any option of a connector, for example requestTimeoutMs=60000', collect)
    .option('--cwd <dir>', 'working directory of its process; {cwd} = where the session works')
    .option('--remove-header <name>', 'as the connector has it', collect)
    .option('--remove-env <name>', 'the same for a variable', collect)
    .option('--clear <field>', `take one back: ${Object.keys(clearable).join(', ')}`, collect)
    .addOption(new Option('--disable', 'keep it without using it').conflicts('enable'))
    .option('--enable', 'use it again')
}

/** The changes that the flags ask for; a list is sent whole, with what is stored of it. */
export async function readBindingFlags(
  flags: BindingFlags,
  stored: BindingView | undefined,
  terminal: Terminal,
): Promise<BindingPatch> {
  const { header = [], env = [], option = [], cwd, tool, enable, disable, removeHeader = [], removeEnv = [] } = flags
  const read = await readConnectorFlags({ header, env, option }, terminal)
  const given: BindingPatch = {
    ...(header.length + removeHeader.length > 0 && {
      headers: mergeNamedValues(stored?.headers ?? [], read.headers, removeHeader, isSameHeader),
    }),
    ...(env.length + removeEnv.length > 0 && {
      env: mergeNamedValues(stored?.env ?? [], read.env, removeEnv, (a, b) => a === b),
    }),
    ...(option.length > 0 && { options: { ...stored?.options, ...read.fields.options } }),
    ...(cwd !== undefined && { cwd: cwd.includes('{') ? cwd : resolve(cwd) }),
    ...(tool !== undefined && { allowedTools: tool }),
    ...((enable === true || disable === true) && { enabled: enable === true }),
  }
  return { ...given, ...clearFields(flags.clear ?? [], clearable, given) }
}

function isSameHeader(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
