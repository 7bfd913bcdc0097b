import type { ToolResult } from '../core/own-tool.ts'

/**
 * What a script gets for a result: the structured content, else JSON that the text holds, else the text, else the
 * content blocks as they are. Throws what the tool reports as its error.
 */
export function toolValue(name: string, result: ToolResult): unknown {
  const texts = result.content.map((block) =>
    block.type === 'text' && typeof block['text'] === 'string' ? block['text'] : null,
  )
  if (result.isError === true) {
    const said = texts.filter((text) => text !== null).join('\n')
    throw new Error(`${name}: ${said.slice(0, 10_000) || 'failed without saying why'}`)
  }
  if (result.structuredContent !== undefined) return result.structuredContent
  return texts.includes(null) ? result.content : readText(texts.join('\n'))
}

// A number or a word stays text: "007" is not 7.
function readText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    // It only began like JSON.
    return text
  }
}
