import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  PromptMessage,
  ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { ToolError } from '../protocol/errors.ts'
import { isObject } from '../wire/meta.ts'
import type { PromptOutput, ResourceOutput } from './define.ts'

const contentTypes: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
  'tool_use',
  'tool_result',
])

/** The result of a tool without an output schema: whatever its handler returned, as content. */
export function toToolResult(output: unknown): CallToolResult {
  if (output === undefined || output === null) return { content: [] }
  if (isToolResult(output)) return output
  if (isContentBlock(output)) return { content: [output] }
  if (Array.isArray(output) && output.length > 0 && output.every(isContentBlock)) return { content: output }
  return { content: [{ type: 'text', text: typeof output === 'string' ? output : toJson(output) }] }
}

function toJson(output: unknown): string {
  const text = JSON.stringify(output) as string | undefined
  if (text === undefined) throw new TypeError(`A tool returned a ${typeof output}, which no content can be made of.`)
  return text
}

/** The result of a tool with an output schema. Its JSON stands beside it as text, for clients that read only that. */
export function toStructuredResult(structured: unknown, content?: readonly ContentBlock[]): CallToolResult {
  const shown = content === undefined ? [{ type: 'text' as const, text: JSON.stringify(structured) }] : [...content]
  return { content: shown, structuredContent: structured }
}

/** What an author said to the model about a failure, as the result of the tool. */
export function failedResult({ content, structured, message }: ToolError): CallToolResult {
  return {
    content: content === undefined ? [{ type: 'text', text: message }] : [...content],
    ...(structured !== undefined && { structuredContent: structured }),
    isError: true,
  }
}

export function isToolResult(value: unknown): value is CallToolResult {
  if (!isObject(value)) return false
  if (value['resultType'] !== undefined) return true
  return Array.isArray(value['content']) && value['content'].every(isContentBlock)
}

/** Tells a block of content from an ordinary object that happens to have a `type`. */
export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isObject(value) || !contentTypes.has(value['type'])) return false
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string'
    case 'image':
    case 'audio':
      return typeof value['data'] === 'string' && typeof value['mimeType'] === 'string'
    case 'resource_link':
      return typeof value['uri'] === 'string'
    default:
      return true
  }
}

export function toResourceResult(
  output: ResourceOutput,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult {
  if (typeof output === 'string') return contents(uri, { text: output }, mimeType)
  if (output instanceof Uint8Array) return contents(uri, { blob: base64(output) }, mimeType)
  if ('contents' in output) return output
  const given = output as { text?: string; blob?: Uint8Array; mimeType?: string }
  if (given.blob === undefined && typeof given.text !== 'string') {
    throw new TypeError(`'${uri}' was read as an object with neither text nor blob. Return one, or a string.`)
  }
  const body = given.blob === undefined ? { text: given.text! } : { blob: base64(given.blob) }
  return contents(uri, body, given.mimeType ?? mimeType)
}

export function toPromptResult(output: PromptOutput, description: string | undefined): GetPromptResult {
  if (typeof output !== 'string' && 'messages' in output) return output
  const messages: PromptMessage[] =
    typeof output === 'string'
      ? [{ role: 'user', content: { type: 'text', text: output } }]
      : [...(output as PromptMessage[])]
  return { messages, ...(description !== undefined && { description }) }
}

function contents(
  uri: string,
  body: { text: string } | { blob: string },
  mimeType: string | undefined,
): ReadResourceResult {
  return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), ...body }] }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
