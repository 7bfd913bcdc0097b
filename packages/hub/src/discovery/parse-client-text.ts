import { HubError } from '@herma/contract'
import { parseLooseJson } from './text/parse-loose-json.ts'
import { parseToml } from './text/parse-toml.ts'

/**
 * Reads the text of a client's configuration file. VS Code and others write JSON with comments and trailing commas, Codex
 * writes TOML; all are accepted.
 */
export function parseClientText(text: string, file: string): unknown {
  const plain = text.replace(/^\uFEFF/, '')
  if (plain.trim() === '') throw new HubError('PARSE_ERROR', `${file} is empty.`)
  try {
    return JSON.parse(plain)
  } catch {
    // Its message quotes the text, which may hold a secret; the readers below say more.
  }
  const [format, parse] = isToml(plain) ? (['TOML', parseToml] as const) : (['JSON', parseLooseJson] as const)
  try {
    return parse(plain)
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    throw new HubError('PARSE_ERROR', `${file} is not ${format}: ${error.message}`, { data: error.data })
  }
}

/** Whether a text has the head of a table, as no JSON has it on a line of its own. */
export function isToml(text: string): boolean {
  return !/^\s*[{[]\s*(?:["{}\]]|$)/.test(text) && /^\s*\[{1,2}[\w."' -]+\]{1,2}\s*(?:#.*)?$/m.test(text)
}
