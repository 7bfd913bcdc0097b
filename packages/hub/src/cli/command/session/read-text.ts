import { readFile } from 'node:fs/promises'

import { CliError, exitCodes } from '../../exit-codes.ts'
import type { Terminal } from '../../terminal.ts'

const limitBytes = 1_000_000

/** Reads a text that a flag gives: as it stands, `@FILE`, or `@-` for standard input. `@@…` begins with one @. */
export async function readText(flag: string, given: string, terminal: Terminal): Promise<string> {
  if (given.startsWith('@@')) return given.slice(1)
  if (!given.startsWith('@')) return given
  const file = given.slice(1)
  try {
    return file === '-' ? await terminal.readInput(limitBytes) : await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `The text of ${flag} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
