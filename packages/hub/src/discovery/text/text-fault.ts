import { HubError } from '@herma/contract'

/** Tells where a text goes wrong and what was expected there. The text itself is not quoted: it may hold a secret. */
export function textFault(text: string, position: number, expected: string): HubError {
  const before = text.slice(0, position)
  const line = before.split('\n').length
  const column = position - before.lastIndexOf('\n')
  return new HubError('PARSE_ERROR', `line ${line}, column ${column}: ${expected}`, { data: { line, column } })
}
