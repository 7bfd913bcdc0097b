import { type JsonOption, parseJsonObject } from '../../json-option.ts'
import type { Terminal } from '../../terminal.ts'

const limitBytes = 1_000_000

/** The fields that `--json` gives; none when it only asks for JSON output. The hub checks them. */
export async function readJsonFields(
  json: JsonOption | undefined,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  if (json?.text === undefined) return {}
  const text = json.text === '-' ? await terminal.readInput(limitBytes) : json.text
  return parseJsonObject(text, 'The value of --json')
}
