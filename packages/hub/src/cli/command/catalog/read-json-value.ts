import { readFile } from 'node:fs/promises'

import { CliError, exitCodes } from '../../exit-codes.ts'
import { parseJsonObject } from '../../json-option.ts'
import type { Terminal } from '../../terminal.ts'

const limitBytes = 4_000_000

/** Reads a JSON object that a flag gives: the JSON itself, the name of a file, or - for standard input. */
export async function readJsonValue(flag: string, given: string, terminal: Terminal): Promise<Record<string, unknown>> {
  return parseJsonObject(await readText(flag, given, terminal), flag)
}

async function readText(flag: string, given: string, terminal: Terminal): Promise<string> {
  if (given.trimStart().startsWith('{')) return given
  if (given === '-') return terminal.readInput(limitBytes)
  try {
    return await readFile(given, 'utf8')
  } catch (cause) {
    throw new CliError(
      exitCodes.usage,
      `${flag} needs a JSON object or a file that has one: ${(cause as Error).message}`,
      { cause },
    )
  }
}
