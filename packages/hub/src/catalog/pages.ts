import type { ShapedEntry } from './shaped-entry.ts'

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

interface PageOptions<T extends ShapedEntry> {
  /** What identifies an entry in its list. */
  keyOf(entry: T): string
  /** The JSON of its name; null leaves it as it is. */
  nameOf?(entry: T): string | null
  metaOf?(entry: T): string
  /** The entries live in these pages from now on. */
  isHome?: boolean
}

/** Many clients read the first page only, so pages are large. */
export const pageSize = 1000

/**
 * Cuts a list into serialised pages. A cursor names the last entry of the page before, so that it stays good when the
 * list changes elsewhere; one whose entry is gone is refused, and the client starts again.
 */
export function paginate<T extends ShapedEntry>(entries: readonly T[], options: PageOptions<T>): Pages {
  const pages: Page[] = []
  const starts = new Map<string, number>()
  for (let from = 0; from === 0 || from < entries.length; from += pageSize) {
    const slice = entries.slice(from, from + pageSize)
    const isLast = from + pageSize >= entries.length
    const nextCursor = isLast ? undefined : toCursor(options.keyOf(slice.at(-1)!))
    if (nextCursor !== undefined) starts.set(nextCursor, pages.length + 1)
    pages.push({ entries: writePage(slice, options), nextCursor })
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

/** Copies entries into one buffer, with their slots filled. Nothing is parsed and nothing serialised again. */
function writePage<T extends ShapedEntry>(entries: readonly T[], options: PageOptions<T>): Buffer {
  const names = entries.map((entry) => options.nameOf?.(entry) ?? null)
  const metas = entries.map((entry) => options.metaOf?.(entry) ?? '')
  let size = entries.length + 1
  for (const [index, entry] of entries.entries()) {
    const name = names[index]!
    size += entry.end - entry.start - (entry.metaEnd - entry.metaStart) + Buffer.byteLength(metas[index]!)
    if (name !== null) size += Buffer.byteLength(name) - (entry.nameEnd - entry.nameStart)
  }
  const page = Buffer.allocUnsafeSlow(Math.max(size, 2))
  let at = page.write('[', 0)
  for (const [index, entry] of entries.entries()) {
    if (index > 0) at += page.write(',', at)
    at = writeEntry(page, at, entry, { name: names[index]!, meta: metas[index]!, isHome: options.isHome === true })
  }
  page.write(']', at)
  return page
}

interface Slots {
  readonly name: string | null
  readonly meta: string
  readonly isHome: boolean
}

function writeEntry(page: Buffer, from: number, entry: ShapedEntry, slots: Slots): number {
  const { bytes, start, end, nameStart, nameEnd, metaStart, metaEnd } = entry
  let at = from
  const copy = (first: number, last: number) => {
    at += bytes.copy(page, at, first, last)
  }
  const name = slots.name ?? bytes.toString('utf8', nameStart, nameEnd)
  const putName = () => {
    const position = at
    at += page.write(name, at)
    return position
  }
  const putMeta = () => {
    const position = at
    at += page.write(slots.meta, at)
    return position
  }
  let [nameAt, metaAt] = [0, 0]
  // The name mostly comes first, but a server may write it anywhere.
  if (nameEnd === nameStart) {
    copy(start, metaStart)
    metaAt = putMeta()
    copy(metaEnd, end)
  } else if (nameStart < metaStart) {
    copy(start, nameStart)
    nameAt = putName()
    copy(nameEnd, metaStart)
    metaAt = putMeta()
    copy(metaEnd, end)
  } else {
    copy(start, metaStart)
    metaAt = putMeta()
    copy(metaEnd, nameStart)
    nameAt = putName()
    copy(nameEnd, end)
  }
  if (slots.isHome) {
    entry.bytes = page
    entry.start = from
    entry.end = at
    entry.nameStart = nameAt
    entry.nameEnd = nameAt + (nameEnd === nameStart ? 0 : Buffer.byteLength(name))
    entry.metaStart = metaAt
    entry.metaEnd = metaAt + Buffer.byteLength(slots.meta)
  }
  return at
}

function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url')
}
