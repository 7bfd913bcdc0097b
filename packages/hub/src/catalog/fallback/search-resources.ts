import type { OwnTool } from '../core/own-tool.ts'
import { errorResult } from '../core/own-tool.ts'
import { SearchIndex } from '../mode/search/search-index.ts'
import type { LibraryEntry, ResourceLibrary } from './resource-library.ts'

const maxResults = 20

/**
 * `search` as ChatGPT expects it of a server that it takes knowledge from, over the catalog's resources.
 * https://platform.openai.com/docs/mcp
 */
export function searchResourcesTool(library: ResourceLibrary): OwnTool {
  const findEntries = createFinder()
  return {
    name: 'search',
    origin: 'fallback',
    tags: [],
    descriptor: {
      name: 'search',
      title: 'Search',
      description:
        'Finds documents by words in their names and descriptions. Answers with id, title and url of the best ' +
        'matches; fetch has the text of one.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'A few words about what is looked for.' } },
        required: ['query'],
      },
      outputSchema: {
        type: 'object',
        properties: {
          results: {
            type: 'array',
            items: {
              type: 'object',
              properties: { id: { type: 'string' }, title: { type: 'string' }, url: { type: 'string' } },
              required: ['id', 'title', 'url'],
            },
          },
        },
        required: ['results'],
      },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async ({ query }, context) => {
      if (typeof query !== 'string' || query.trim() === '') return errorResult("'query' takes a few words.")
      const found = findEntries([...library.list(context.caller)], query)
      const results = found.map(({ uri, title, name }) => ({ id: uri, title: title || name || uri, url: uri }))
      return { content: [{ type: 'text', text: JSON.stringify({ results }) }], structuredContent: { results } }
    },
  }
}

// The index is kept until the list is another one: comparing is a hundred times cheaper than indexing.
function createFinder(): (entries: readonly LibraryEntry[], query: string) => LibraryEntry[] {
  let indexed: readonly LibraryEntry[] = []
  let index = new SearchIndex()
  return (entries, query) => {
    if (!isSameList(indexed, entries)) {
      index = new SearchIndex()
      index.setSegment('', entries.map(toDocument))
      indexed = entries
    }
    return index.search(query, { limit: maxResults }).map(({ key }) => entries[Number(key)]!)
  }
}

function toDocument({ uri, name, title, description, server }: LibraryEntry, position: number) {
  const parameters = [{ name: uri, description: '' }]
  return {
    key: String(position),
    name,
    title: title ?? '',
    description: description ?? '',
    parameters,
    server,
    tags: [],
  }
}

function isSameList(a: readonly LibraryEntry[], b: readonly LibraryEntry[]): boolean {
  return a.length === b.length && a.every((entry, index) => isSameEntry(entry, b[index]!))
}

function isSameEntry(a: LibraryEntry, b: LibraryEntry): boolean {
  return (
    a === b ||
    (a.uri === b.uri &&
      a.name === b.name &&
      a.title === b.title &&
      a.description === b.description &&
      a.server === b.server)
  )
}
