import { HubError } from '@herma/contract'
import { errorResult, type OwnTool } from '../core/own-tool.ts'
import type { LibraryContent, LibraryEntry, ResourceLibrary } from './resource-library.ts'

const maxTextBytes = 2 ** 20

/** `fetch` as ChatGPT expects it beside `search`: the text of one resource. https://platform.openai.com/docs/mcp */
export function fetchResourceTool(library: ResourceLibrary): OwnTool {
  return {
    name: 'fetch',
    origin: 'fallback',
    tags: [],
    descriptor: {
      name: 'fetch',
      title: 'Fetch',
      description: 'Answers with the text of a document that search found, by its id.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', description: 'An id as search gives it.' } },
        required: ['id'],
      },
      outputSchema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          title: { type: 'string' },
          text: { type: 'string' },
          url: { type: 'string' },
          metadata: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['id', 'title', 'text', 'url'],
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async ({ id }, context) => {
      if (typeof id !== 'string' || id === '') return errorResult("'id' takes the id of a result of search.")
      let contents: readonly LibraryContent[]
      try {
        ;({ contents } = await library.read(id, context))
      } catch (error) {
        // Whatever else goes wrong is no mistake of the model, and is reported as the error that it is.
        if (!(error instanceof HubError) || error.code !== 'RESOURCE_NOT_FOUND') throw error
        return errorResult(`There is no document '${id.slice(0, 200)}'. Take an id from the results of search.`)
      }
      const document = toDocument(id, contents, findEntry(library.list(context.caller), id))
      return { content: [{ type: 'text', text: JSON.stringify(document) }], structuredContent: document }
    },
  }
}

function findEntry(entries: Iterable<LibraryEntry>, uri: string): LibraryEntry | undefined {
  for (const entry of entries) if (entry.uri === uri) return entry
  // Resources of a template are read without being listed.
  return undefined
}

function toDocument(id: string, contents: readonly LibraryContent[], entry: LibraryEntry | undefined) {
  const whole = Buffer.from(contents.map(textOf).join('\n\n'))
  const isCut = whole.length > maxTextBytes
  const types = [...new Set(contents.map(({ mimeType }) => mimeType).filter((type) => type !== undefined))]
  return {
    id,
    title: entry?.title || entry?.name || id,
    text: isCut ? `${cutText(whole)}\n[Cut: ${maxTextBytes} of ${whole.length} bytes.]` : whole.toString(),
    url: id,
    metadata: {
      ...(entry === undefined ? {} : { server: entry.server }),
      ...(types.length === 0 ? {} : { mimeType: types.join(', ') }),
      ...(isCut ? { truncated: 'true' } : {}),
    },
  }
}

// A character that the cut went through is left out.
function cutText(bytes: Buffer): string {
  return bytes
    .subarray(0, maxTextBytes)
    .toString()
    .replace(/\uFFFD$/, '')
}

function textOf({ text, blob, mimeType, uri }: LibraryContent): string {
  if (text !== undefined) return text
  const bytes = Buffer.byteLength(blob ?? '', 'base64')
  return `[${mimeType ?? 'Bytes of unknown type'}, ${bytes} bytes, not text${uri === undefined ? '' : `: ${uri}`}]`
}
