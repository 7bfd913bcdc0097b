import { EventFilter } from '@herma/contract'
import type { Command } from 'commander'

import { CliError, exitCodes } from '../../exit-codes.ts'

export interface FilterFlags {
  readonly since?: string
  readonly from?: string
  readonly to?: string
  readonly kind?: string
  readonly principal?: string
  readonly server?: string
  readonly connector?: string
  readonly session?: string
  readonly thread?: string
  readonly route?: string
  readonly transport?: string
  readonly era?: string
  readonly method?: string
  readonly target?: string
  readonly outcome?: string
  readonly minMs?: string
  readonly text?: string
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Which events are meant. */
export function addFilterFlags(command: Command): Command {
  return command
    .option('--since <time>', 'recorded within this time: 30s, 10m, 2h, 7d')
    .option('--from <time>', 'recorded at this time or later, for example 2026-11-16T06:00:00Z')
    .option('--to <time>', 'recorded before this time')
    .option('--kind <kinds>', 'kinds of events, separated by commas; call.* = all that begin so')
    .option('--principal <id>', 'who asked: operator, user:NAME, key:NAME, client:ID')
    .option('--server <name>', 'the served server that was asked')
    .option('--connector <name>', 'the connector that did the work')
    .option('--session <id>', 'agent session')
    .option('--thread <id>', 'thread of a session')
    .option('--route <route>', 'which way the work went: mcp:stdio, mcp:stream, own …')
    .option('--transport <name>', 'how the client reached the hub: stream, sse, rpc')
    .option('--era <era>', 'legacy or modern')
    .option('--method <name>', 'MCP method, for example tools/call')
    .option('--target <name>', 'tool, prompt or resource')
    .option('--outcome <outcomes>', 'ok, tool-error, error, cancelled, refused; several separated by commas')
    .option('--min-ms <number>', 'took at least so many milliseconds')
    .option('--text <words>', 'words in the data or the target')
}

/** The flags as a query of the API. */
export function readFilterFlags({ since, ...flags }: FilterFlags): URLSearchParams {
  if (since !== undefined && flags.from !== undefined)
    throw new CliError(exitCodes.usage, 'Give --since or --from, not both.')
  const given = {
    ...flags,
    ...(since === undefined ? {} : { from: new Date(Date.now() - spanOf(since)).toISOString() }),
  }
  const filter = Object.fromEntries(Object.entries(given).filter(([name]) => name in EventFilter.shape))
  const checked = EventFilter.safeParse(filter)
  if (checked.success) return new URLSearchParams(filter as Record<string, string>)
  const [issue] = checked.error.issues
  throw new CliError(exitCodes.usage, `--${flagOf(String(issue?.path[0]))}: ${issue?.message}`)
}

function spanOf(text: string): number {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text)
  if (match === null)
    throw new CliError(exitCodes.usage, `--since needs a time such as 30s, 10m, 2h or 7d, not '${text}'.`)
  return Number(match[1]) * units[match[2] as keyof typeof units]
}

function flagOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
