import { basename, isAbsolute, resolve } from 'node:path'
import type { AgentCommand } from '@herma/contract'

import { CliError, exitCodes } from '../../exit-codes.ts'
import { readNamedValues } from '../../named-values.ts'
import type { Terminal } from '../../terminal.ts'

export interface AgentCommandFlags {
  command?: AgentCommand['dialect']
  env?: string[]
}

interface Given {
  /** Words after `--`. */
  readonly trailing: readonly string[]
  /** What the session has so far. */
  readonly stored: AgentCommand | null
  readonly terminal: Terminal
}

/** The local agent CLI that the flags and the words after `--` ask for; undefined when they say nothing of one. */
export async function readAgentCommand(flags: AgentCommandFlags, given: Given): Promise<AgentCommand | undefined> {
  const [cmd, ...args] = given.trailing
  if (flags.command === undefined && flags.env === undefined && cmd === undefined) return undefined
  const dialect = flags.command ?? (cmd === undefined ? given.stored?.dialect : dialectOf(cmd))
  if (dialect === undefined)
    throw new CliError(exitCodes.usage, '--env is for a local agent CLI. Name it, too: --command codex|claude|text')
  const env = await readNamedValues('--env', flags.env ?? [], given.terminal)
  return {
    dialect,
    ...(cmd === undefined ? keptWords(dialect, given.stored) : { cmd: findCommand(cmd), args }),
    env: { ...given.stored?.env, ...Object.fromEntries(env.map(({ name, value = '' }) => [name, value])) },
  }
}

/** What prints its answer is the usual case of a program that nobody knows. */
function dialectOf(cmd: string): AgentCommand['dialect'] {
  const name = basename(cmd)
  return name === 'codex' || name === 'claude' ? name : 'text'
}

/** The words of one dialect mean nothing to another. */
function keptWords(dialect: string, stored: AgentCommand | null): Pick<AgentCommand, 'cmd' | 'args'> {
  if (stored?.dialect !== dialect) return {}
  const { cmd, args } = stored
  return { ...(cmd !== undefined && { cmd }), ...(args !== undefined && { args }) }
}

/** The hub runs elsewhere, so that a path from here has to be whole; a bare name is looked up on the PATH. */
function findCommand(cmd: string): string {
  return cmd.includes('/') && !isAbsolute(cmd) ? resolve(cmd) : cmd
}
