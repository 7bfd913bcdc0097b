import type { CompleteResult } from '@modelcontextprotocol/server'
import type { Completer } from './define.ts'

/** https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
const maxValues = 100

/** Suggestions for what was typed so far. A list is searched by its beginning, whatever the case. */
export async function complete(
  completer: Completer | undefined,
  value: string,
  others: Readonly<Record<string, string>>,
): Promise<CompleteResult> {
  if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } }
  const found = typeof completer === 'function' ? await completer(value, others) : startingWith(completer, value)
  const values = found.slice(0, maxValues)
  return { completion: { values, total: found.length, hasMore: found.length > values.length } }
}

function startingWith(list: readonly string[], value: string): string[] {
  const typed = value.toLowerCase()
  return list.filter((entry) => entry.toLowerCase().startsWith(typed))
}
