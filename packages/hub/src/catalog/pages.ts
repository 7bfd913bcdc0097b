/** A page of a list as it goes on the wire: the array in bytes, and the cursor of the next page. */
export interface Page {
  readonly entries: Buffer
  readonly nextCursor: string | undefined
}

export interface Pages {
  readonly count: number
  page(cursor: string | undefined): Page | undefined
  equals(other: Pages): boolean
  readonly bytes: readonly Buffer[]
}

/** Many clients read the first page only, so pages are large. */
export const pageSize = 1000

/**
 * Cuts a list into serialised pages. A cursor names the last entry of the page before, so that it stays good when the
 * list changes elsewhere; one whose entry is gone is refused, and the client starts again.
 */
export function paginate(entries: readonly Record<string, unknown>[], key = 'name'): Pages {
  const pages: Page[] = []
  const starts = new Map<string, number>()
  for (let from = 0; from === 0 || from < entries.length; from += pageSize) {
    const slice = entries.slice(from, from + pageSize)
    const isLast = from + pageSize >= entries.length
    const nextCursor = isLast ? undefined : toCursor(String(slice.at(-1)![key]))
    if (nextCursor !== undefined) starts.set(nextCursor, pages.length + 1)
    pages.push({ entries: Buffer.from(JSON.stringify(slice)), nextCursor })
  }
  const bytes = pages.map((page) => page.entries)
  return {
    count: entries.length,
    bytes,
    page: (cursor) => (cursor === undefined ? pages[0] : pages[starts.get(cursor) ?? -1]),
    equals: (other) =>
      other.bytes.length === bytes.length && other.bytes.every((page, index) => page.equals(bytes[index]!)),
  }
}

function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url')
}
