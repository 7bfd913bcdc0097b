import type { Cli } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'

const limitBytes = 8192

/** Asks for a secret, or takes it from standard input: on the command line it would stand in the list of processes. */
export async function readClientSecret({ terminal }: Cli): Promise<string> {
  const given = terminal.isInteractive
    ? await terminal.askHidden('Client secret (it is not shown): ')
    : await terminal.readInput(limitBytes)
  const secret = given.replace(/\r?\n$/, '')
  if (secret !== '') return secret
  throw new CliError(exitCodes.usage, 'The client secret is missing. Type it when asked, or send it to standard input.')
}
