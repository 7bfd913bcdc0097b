import { readFile } from 'node:fs/promises'
import type { NamedValue } from '@herma/contract'

import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

const valueLimitBytes = 65_536

/**
 * Reads `K=V` pairs of the command line. `K=@FILE` takes the value from a file and `K=@-` from standard input, so that
 * a secret need not stand in the shell's history; a value that begins with @ is written `K=@@…`.
 */
export async function readNamedValues(
  flag: '--header' | '--env' | '--oauth' | '--value',
  pairs: readonly string[],
  terminal: Terminal,
): Promise<NamedValue[]> {
  const values = new Map<string, NamedValue>()
  if (pairs.filter((pair) => pair.endsWith('=@-')).length > 1) {
    throw new CliError(exitCodes.usage, `Only one ${flag} can be read from standard input.`)
  }
  for (const pair of pairs) {
    // A header may also be given as curl takes it; no header name holds either sign.
    const end = pair.search(flag === '--header' ? /[=:]/ : /=/)
    if (end < 1) throw new CliError(exitCodes.usage, `${flag} needs NAME=VALUE or NAME=@FILE.`)
    const name = pair.slice(0, end).trim()
    const given = pair[end] === ':' ? pair.slice(end + 1).trim() : pair.slice(end + 1)
    // Of two values for one name the last counts, as in a shell.
    values.set(flag === '--header' ? name.toLowerCase() : name, {
      name,
      ...(await resolveValue(flag, name, given, terminal)),
    })
  }
  return [...values.values()]
}

async function resolveValue(
  flag: string,
  name: string,
  given: string,
  terminal: Terminal,
): Promise<Pick<NamedValue, 'value' | 'secret'>> {
  if (given.startsWith('@@')) return { value: given.slice(1) }
  if (!given.startsWith('@')) return { value: given }
  const file = given.slice(1)
  try {
    const text = file === '-' ? await terminal.readInput(valueLimitBytes) : await readFile(file, 'utf8')
    return { value: text.replace(/\r?\n$/, ''), secret: true }
  } catch (cause) {
    throw new CliError(exitCodes.usage, `The value of ${flag} ${name} cannot be read: ${(cause as Error).message}`, {
      cause,
    })
  }
}
