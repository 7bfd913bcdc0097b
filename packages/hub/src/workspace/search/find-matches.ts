import type { Matcher, Span } from './compile-query.ts'

export interface LineMatch extends Span {
  /** Counts from one. */
  readonly line: number
  readonly text: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export interface FindOptions {
  readonly matcher: Matcher
  readonly contextLines: number
  /** Awaited now and then, so that others get their turn. */
  pause(): Promise<void> | undefined
  onMatch(match: LineMatch): void
}

const pieceLength = 16 * 1024
/** Of a longer line, which no person wrote, only the beginning is searched. */
const maxLineLength = 20_000

/** Finds the lines of a text that match, each once and at its first match. */
export async function findMatches(text: string, options: FindOptions): Promise<void> {
  const { matcher, pause } = options
  let lines: string[] | undefined
  for (let at = 0, line = 1; at < text.length;) {
    const found = text.indexOf('\n', at + pieceLength)
    const end = found < 0 ? text.length : found
    const piece = text.slice(at, end)
    const count = countLines(piece)
    if (matcher.mayMatch(piece)) {
      lines ??= text.split('\n')
      findInLines(lines, { first: line - 1, count }, options)
    }
    line += count
    at = end + 1
    await pause()
  }
}

function findInLines(
  lines: readonly string[],
  { first, count }: { first: number; count: number },
  { matcher, contextLines, onMatch }: FindOptions,
): void {
  for (let index = first; index < first + count; index++) {
    const text = trimEnd(lines[index]!)
    const span = matcher.find(text, 0)
    if (span === null) continue
    const before = lines.slice(Math.max(index - contextLines, 0), index).map(trimEnd)
    const after = lines.slice(index + 1, index + 1 + contextLines).map(trimEnd)
    onMatch({ ...span, line: index + 1, text, before, after })
  }
}

function countLines(piece: string): number {
  let count = 1
  for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) count++
  return count
}

function trimEnd(line: string): string {
  const text = line.length > maxLineLength ? line.slice(0, maxLineLength) : line
  return text.endsWith('\r') ? text.slice(0, -1) : text
}
