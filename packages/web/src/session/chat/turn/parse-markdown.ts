/** A piece of a line. */
export type Inline =
  | { readonly type: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly href: string }

/** A part of an answer. */
export type MarkdownBlock =
  | { readonly type: 'paragraph' | 'heading' | 'quote'; readonly text: string }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly start: number; readonly items: readonly string[] }

const fence = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/
const heading = /^#{1,6}\s+(.*?)\s*#*$/
const bullet = /^\s*[-*+]\s+(.*)$/
const numbered = /^\s*(\d{1,9})[.)]\s+(.*)$/
const quote = /^\s*>\s?(.*)$/

/**
 * What models write most of Markdown: paragraphs, headings, lists, quotes and code. All else is shown as it was written;
 * there is no HTML. A code block that is still being written counts to its end.
 */
export function parseMarkdown(source: string): MarkdownBlock[] {
  const lines = source.replaceAll('\r\n', '\n').split('\n')
  const blocks: MarkdownBlock[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    const opened = fence.exec(line)
    if (line.trim() === '') at++
    else if (opened !== null) at = readCode(lines, { at: at + 1, mark: opened[1]!, language: opened[2]! }, blocks)
    else at = readText(lines, at, blocks)
  }
  return blocks
}

function readCode(
  lines: readonly string[],
  { at, mark, language }: { at: number; mark: string; language: string },
  blocks: MarkdownBlock[],
): number {
  let end = at
  while (end < lines.length && !lines[end]!.trim().startsWith(mark)) end++
  blocks.push({ type: 'code', language, text: lines.slice(at, end).join('\n') })
  return end + 1
}

function readText(lines: readonly string[], at: number, blocks: MarkdownBlock[]): number {
  const line = lines[at]!
  const title = heading.exec(line)
  if (title !== null) {
    blocks.push({ type: 'heading', text: title[1]! })
    return at + 1
  }
  for (const kind of [bullet, numbered]) {
    if (kind.test(line)) return readList(lines, { at, kind }, blocks)
  }
  const isQuote = quote.test(line)
  let end = at + 1
  while (end < lines.length && isSameText(lines[end]!, isQuote)) end++
  const text = lines.slice(at, end).map((each) => (isQuote ? (quote.exec(each)?.[1] ?? each) : each))
  blocks.push({ type: isQuote ? 'quote' : 'paragraph', text: text.join('\n') })
  return end
}

function isSameText(line: string, isQuote: boolean): boolean {
  if (line.trim() === '') return false
  if (isQuote) return quote.test(line)
  return ![fence, heading, bullet, numbered, quote].some((kind) => kind.test(line))
}

/** An indented line behind an item belongs to it. */
function readList(
  lines: readonly string[],
  { at, kind }: { at: number; kind: RegExp },
  blocks: MarkdownBlock[],
): number {
  const items: string[] = []
  let end = at
  for (; end < lines.length; end++) {
    const line = lines[end]!
    const item = kind.exec(line)
    if (item !== null) items.push(item.at(-1)!)
    else if (/^\s{2,}\S/.test(line) && !fence.test(line)) items.push(`${items.pop()!}\n${line.trim()}`)
    else break
  }
  const start = kind === numbered ? Number(numbered.exec(lines[at]!)![1]) : 1
  blocks.push({ type: 'list', isOrdered: kind === numbered, start, items })
  return end
}

// Each alternative is bounded by its own closing sign and holds none of it, so the time grows with the line only.
const inline =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^\s*][^*\n]*)\*|\[([^\]\n]{1,500})\]\((https?:\/\/[^\s()]{1,2000})\)|(https?:\/\/[^\s<>"')\]]{0,2000}[^\s<>"')\].,;:!?])/g

/** Only addresses of the web become links. */
export function parseInline(text: string): Inline[] {
  const pieces: Inline[] = []
  let last = 0
  for (const match of text.matchAll(inline)) {
    const [whole, code, strong, emphasis, label, href, bare] = match
    if (match.index > last) pieces.push({ type: 'text', text: text.slice(last, match.index) })
    last = match.index + whole.length
    if (code !== undefined) pieces.push({ type: 'code', text: code })
    else if (strong !== undefined) pieces.push({ type: 'strong', text: strong })
    else if (emphasis !== undefined) pieces.push({ type: 'emphasis', text: emphasis })
    else if (href !== undefined) pieces.push({ type: 'link', text: label!, href })
    else pieces.push({ type: 'link', text: bare!, href: bare! })
  }
  if (last < text.length) pieces.push({ type: 'text', text: text.slice(last) })
  return pieces
}
