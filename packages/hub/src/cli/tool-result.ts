import { isObject } from '../wire/index.ts'
import { formatBytes } from './format-quantity.ts'
import type { Terminal } from './terminal.ts'

/** Writes the text of a result to standard output, and notes on standard error what a terminal cannot show. */
export function showToolResult(result: Record<string, unknown>, terminal: Terminal): void {
  const content = Array.isArray(result['content']) ? result['content'].filter(isObject) : []
  for (const block of content) showBlock(block, terminal)
  // By rule the text repeats the structured content; without any text it would not be seen.
  if (content.length === 0 && result['structuredContent'] !== undefined) {
    terminal.printForeign(JSON.stringify(result['structuredContent'], null, 2))
  }
}

function showBlock(block: Record<string, unknown>, terminal: Terminal): void {
  const { type, text, data, mimeType, uri, resource } = block
  if (type === 'text' && typeof text === 'string') return terminal.printForeign(text)
  if (type === 'resource_link') return terminal.printForeign(String(uri))
  if (type === 'resource' && isObject(resource)) {
    if (typeof resource['text'] === 'string') return terminal.printForeign(resource['text'])
    return noteData(`resource ${String(resource['uri'])}`, resource['mimeType'], resource['blob'], terminal)
  }
  noteData(String(type), mimeType, data, terminal)
}

function noteData(what: string, mimeType: unknown, data: unknown, terminal: Terminal): void {
  const size = typeof data === 'string' ? formatBytes(Buffer.byteLength(data, 'base64')) : undefined
  const details = [mimeType, size].filter((detail) => typeof detail === 'string').join(', ')
  terminal.note(`[${what}${details === '' ? '' : `: ${details}`}; --json shows the data]`)
}
