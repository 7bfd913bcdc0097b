import type { ShapedEntry } from './shaped-entry.ts'

/** A page of a list as it goes on the wire: the array in bytes, and the cursor of the next page. */
export interface Page {
  readonly entries: Buffer
  readonly nextCursor: string | undefined
}

interface PageOptions {
  /** The entries live in these pages from now on. */
  readonly isHome?: boolean
  /** Whether the slot of our metadata is filled. */
  readonly hasMetadata?: boolean
}

/** Many clients read the first page only, so pages are large. */
export const pageSize = 1000

/**
 * A list cut into serialised pages. A cursor names the last entry of the page before, so that it stays good when the
 * list changes elsewhere; one whose entry is gone is refused, and the client starts again.
 */
export class ListPages {
  readonly count: number
  readonly #pages: readonly Page[]
  readonly #starts = new Map<string, number>()

  /** Entries are told apart by the names that they have, or else by what they are called at their servers. */
  constructor(entries: readonly ShapedEntry[], options: PageOptions = {}) {
    this.count = entries.length
    const pages: Page[] = []
    for (let from = 0; from === 0 || from < entries.length; from += pageSize) {
      const slice = entries.slice(from, from + pageSize)
      const isLast = from + pageSize >= entries.length
      const last = slice.at(-1)
      const nextCursor = isLast || last === undefined ? undefined : toCursor(last.name ?? last.original)
      if (nextCursor !== undefined) this.#starts.set(nextCursor, pages.length + 1)
      pages.push({ entries: writePage(slice, options), nextCursor })
    }
    this.#pages = pages
  }

  page(cursor: string | undefined): Page | undefined {
    return cursor === undefined ? this.#pages[0] : this.#pages[this.#starts.get(cursor) ?? -1]
  }

  equals(other: ListPages): boolean {
    return (
      other.#pages.length === this.#pages.length &&
      this.#pages.every(({ entries }, index) => entries.equals(other.#pages[index]!.entries))
    )
  }
}

/**
 * Copies entries into one buffer, with their slots filled. Nothing is parsed and nothing serialised again. Entries that
 * lie side by side already, with the right names and metadata, are copied together.
 */
function writePage(entries: readonly ShapedEntry[], { isHome = false, hasMetadata = true }: PageOptions): Buffer {
  const known = pageOf(entries, hasMetadata)
  if (known !== null) return known
  const page = Buffer.allocUnsafeSlow(sizeOf(entries, hasMetadata))
  let at = page.write('[', 0, 'latin1')
  for (let index = 0; index < entries.length;) {
    if (index > 0) at += page.write(',', at, 'latin1')
    const next = endOfRun(entries, index, hasMetadata)
    if (next > index) {
      at = copyRun(page, at, entries.slice(index, next), isHome)
      index = next
    } else {
      at = writeEntry(page, at, entries[index]!, { isHome, hasMetadata })
      index++
    }
  }
  page.write(']', at, 'latin1')
  return page
}

/** The page that these entries fill already: of a change elsewhere nothing has to be written. Pages never change. */
function pageOf(entries: readonly ShapedEntry[], hasMetadata: boolean): Buffer | null {
  const [first, last] = [entries[0], entries.at(-1)]
  if (first === undefined || last === undefined || first.start !== 1 || last.end !== first.bytes.length - 1) return null
  return endOfRun(entries, 0, hasMetadata) === entries.length ? first.bytes : null
}

function sizeOf(entries: readonly ShapedEntry[], hasMetadata: boolean): number {
  let size = Math.max(entries.length + 1, 2)
  for (const entry of entries) {
    size += entry.end - entry.start
    if (isReady(entry, hasMetadata)) continue
    size += (hasMetadata ? Buffer.byteLength(entry.meta()) : 0) - (entry.metaEnd - entry.metaStart)
    if (entry.name !== null && entry.nameEnd > entry.nameStart)
      size += Buffer.byteLength(JSON.stringify(entry.name)) - (entry.nameEnd - entry.nameStart)
  }
  return size
}

/** True when the bytes of an entry are what has to be written. */
function isReady(entry: ShapedEntry, hasMetadata: boolean): boolean {
  return entry.isWritten && (hasMetadata || entry.metaEnd === entry.metaStart)
}

/** Where the entries end that lie one behind the other in one buffer and need no change. */
function endOfRun(entries: readonly ShapedEntry[], from: number, hasMetadata: boolean): number {
  let index = from
  let before: ShapedEntry | null = null
  for (; index < entries.length; index++) {
    const entry = entries[index]!
    if (!isReady(entry, hasMetadata)) break
    if (before !== null && (entry.bytes !== before.bytes || entry.start !== before.end + 1)) break
    before = entry
  }
  return index
}

function copyRun(page: Buffer, from: number, run: readonly ShapedEntry[], isHome: boolean): number {
  const { bytes, start } = run[0]!
  const end = from + bytes.copy(page, from, start, run.at(-1)!.end)
  if (!isHome) return end
  const shift = from - start
  for (const entry of run) {
    entry.bytes = page
    entry.start += shift
    entry.end += shift
    entry.nameStart += shift
    entry.nameEnd += shift
    entry.metaStart += shift
    entry.metaEnd += shift
  }
  return end
}

function writeEntry(page: Buffer, from: number, entry: ShapedEntry, options: Required<PageOptions>): number {
  const { bytes, start, end, nameStart, nameEnd, metaStart, metaEnd, name } = entry
  const hasName = name !== null && nameEnd > nameStart
  const slots = [
    { isName: false, start: metaStart, end: metaEnd, text: options.hasMetadata ? entry.meta() : '' },
    // The name mostly comes first, but a server may write it anywhere.
    ...(hasName ? [{ isName: true, start: nameStart, end: nameEnd, text: JSON.stringify(name) }] : []),
  ].toSorted((a, b) => a.start - b.start)
  let at = from
  let read = start
  for (const slot of slots) {
    at += bytes.copy(page, at, read, slot.start)
    read = slot.end
    const length = page.write(slot.text, at)
    if (options.isHome && slot.isName) [entry.nameStart, entry.nameEnd] = [at, at + length]
    else if (options.isHome) [entry.metaStart, entry.metaEnd] = [at, at + length]
    at += length
  }
  at += bytes.copy(page, at, read, end)
  if (options.isHome) {
    if (!hasName) [entry.nameStart, entry.nameEnd] = [from, from]
    entry.bytes = page
    entry.start = from
    entry.end = at
    entry.isWritten = true
  }
  return at
}

function toCursor(key: string): string {
  return Buffer.from(key, 'utf8').toString('base64url')
}
