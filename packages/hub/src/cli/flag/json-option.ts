import { readFile } from 'node:fs/promises'
import { Option } from 'commander'

import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Value of a `--json` that also takes input: without a value it asks for JSON output. It may be given twice. */
export interface JsonOption {
  readonly isMachine: boolean
  readonly text?: string
}

const bare = ''

/** `--json` for JSON output. */
export function jsonFlag(): Option {
  return new Option('--json', 'print JSON on standard output')
}

/** `--json [TEXT]` for commands that take JSON: with a value it is the input, without one it asks for JSON output. */
export function jsonInput(what: string): Option {
  return new Option(`--json [${what}]`, `${what} as JSON, or - for standard input; without a value, print JSON`)
    .preset(bare)
    .argParser((value: string, previous: JsonOption | undefined): JsonOption =>
      value === bare
        ? { ...previous, isMachine: true }
        : { ...previous, isMachine: previous?.isMachine ?? false, text: value },
    )
}

export function isMachine(value: boolean | JsonOption | undefined): boolean {
  return typeof value === 'object' ? value.isMachine : value === true
}

/** Parses a JSON object of the command line. */
export function parseJsonObject(text: string, where: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${where} must be JSON: ${(cause as Error).message}`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CliError(exitCodes.usage, `${where} must be a JSON object, for example '{"name": "value"}'.`)
  }
  return value as Record<string, unknown>
}

const valueLimitBytes = 4_000_000

/** Reads a JSON object that a flag gives: the JSON itself, the name of a file, or - for standard input. */
export async function readJsonValue(flag: string, given: string, terminal: Terminal): Promise<Record<string, unknown>> {
  return parseJsonObject(await readText(flag, given, terminal), flag)
}

async function readText(flag: string, given: string, terminal: Terminal): Promise<string> {
  if (given.trimStart().startsWith('{')) return given
  if (given === '-') return terminal.readInput(valueLimitBytes)
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

const fieldsLimitBytes = 1_000_000

/** The fields that `--json` gives; none when it only asks for JSON output. The hub checks them. */
export async function readJsonFields(
  json: JsonOption | undefined,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  if (json?.text === undefined) return {}
  const text = json.text === '-' ? await terminal.readInput(fieldsLimitBytes) : json.text
  return parseJsonObject(text, 'The value of --json')
}
