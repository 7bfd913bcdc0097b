import { readFile } from 'node:fs/promises'
import type { ProviderKind } from '@herma/contract'
import type { Command } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import type { HubClient } from '../../hub/hub-client.ts'

export interface KeyFlags {
  /** True without a value. */
  key?: string | true
  keyFile?: string
  keySecret?: string
}

const limitBytes = 65_536

export function addKeyFlags(command: Command): Command {
  return command
    .option('--key [-]', 'store the key of the provider: asked for, or from standard input')
    .option('--key-file <file>', 'the same, from a file')
    .option('--key-secret <name>', 'the stored secret that is its key; absent: the usual one of the provider')
}

/** A name for the key of a provider that has no usual one. */
export function ownKeySecret(session: string): string {
  const name = `${session.toUpperCase().replaceAll('-', '_')}_API_KEY`
  return /^[A-Z]/.test(name) ? name : `SESSION_${name}`
}

/** Throws when this provider takes no key. */
export function requireKeyed(provider: ProviderKind): void {
  if (!['sampling', 'command', 'mcp'].includes(provider)) return
  const next = provider === 'command' ? ' Give it a variable: --env NAME={secret:NAME}' : ''
  throw new CliError(exitCodes.usage, `The provider ${provider} has no key.${next}`)
}

/** The key that the flags give; undefined when they give none. It never comes from the command line itself. */
export async function readKey({ key, keyFile }: KeyFlags, { terminal }: Cli): Promise<string | undefined> {
  if (key === undefined && keyFile === undefined) return undefined
  if (key !== undefined && keyFile !== undefined)
    throw new CliError(exitCodes.usage, 'Give the key once: --key or --key-file.')
  if (typeof key === 'string' && key !== '-') {
    const why = 'A key has no place on the command line, where the list of processes and the history show it.'
    throw new CliError(exitCodes.usage, `${why} Use: --key - < FILE, or --key-file FILE`)
  }
  const text = keyFile === undefined ? await readTyped(terminal, key) : await readFrom(keyFile)
  const value = text.trim()
  if (value !== '') return value
  throw new CliError(exitCodes.usage, 'The key is empty. Type it when asked, or send it to standard input.')
}

/** Stores the key, and says so when others use it, too. */
export async function storeKey(
  { terminal }: Cli,
  hub: HubClient,
  { secret, value, session }: { secret: string; value: string; session: string },
): Promise<void> {
  const { usedBy } = await hub.api.setSecret({ name: secret, body: { value } })
  const others = usedBy.filter((user) => user !== `session ${session}`)
  const shared = others.length === 0 ? '' : ` It is used by ${others.join(', ')}, too.`
  terminal.note(`Stored its key as the secret '${secret}'.${shared}`)
}

async function readTyped(terminal: Cli['terminal'], key: string | true | undefined): Promise<string> {
  return key === true && terminal.isInteractive
    ? terminal.askHidden('Key of the provider (it is not shown): ')
    : terminal.readInput(limitBytes)
}

async function readFrom(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `The key cannot be read: ${(cause as Error).message}`, { cause })
  }
}
