import { errorCode, McpError } from '../protocol/errors.ts'

/** One page of a list, and the cursor of the next when there is one. */
export function page<Entry>(
  entries: readonly Entry[],
  cursor: unknown,
  size: number,
): { readonly entries: readonly Entry[]; readonly nextCursor?: string } {
  const start = cursor === undefined ? 0 : readCursor(cursor)
  const end = start + size
  const entriesOfPage = start === 0 && end >= entries.length ? entries : entries.slice(start, end)
  return end < entries.length ? { entries: entriesOfPage, nextCursor: writeCursor(end) } : { entries: entriesOfPage }
}

function writeCursor(start: number): string {
  return Buffer.from(`from:${start}`).toString('base64url')
}

function readCursor(cursor: unknown): number {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const match = /^from:(\d{1,9})$/.exec(text)
  if (match === null)
    throw new McpError(errorCode.invalidParams, 'This cursor is not one of ours. Begin the list anew.')
  return Number(match[1])
}
