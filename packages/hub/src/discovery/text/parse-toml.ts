import { HubError } from '@herma/contract'
import { parse, TomlDate, TomlError } from 'smol-toml'

/** Reads TOML. Dates come as texts. Throws PARSE_ERROR with the line; the text itself is not quoted: it may hold a secret. */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return datesAsTexts(parse(text, { maxDepth: 50 })) as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const { line, column } = error
    // Behind its first line the message shows a piece of the text.
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new HubError('PARSE_ERROR', `line ${line}, column ${column}: ${reason}.`, { data: { line, column } })
  }
}

function datesAsTexts(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString().replace('.000', '')
  if (Array.isArray(value)) return value.map(datesAsTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, datesAsTexts(each)]))
}
