import type { LibraryContent, ResourceLibrary } from '../fallback/resource-library.ts'
import type { Catalog } from '../core/catalog.ts'
import type { Scopes } from './scopes.ts'
import { readEntry } from '../core/shaped-entry.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The resources of the catalog as each client may see them. */
export function scopeLibrary(catalog: Catalog, scopes: Scopes): ResourceLibrary {
  return {
    *list(caller) {
      const scope = scopes.for(caller)
      for (const entry of catalog.list('resources')) {
        if (!scope.seesServer(entry.source.name)) continue
        const { name, title, description } = readEntry(entry)
        yield {
          uri: entry.original,
          name: text(name) ?? entry.original,
          title: text(title),
          description: text(description),
          server: entry.source.name,
        }
      }
    },
    async read(uri, context) {
      const { contents } = await context.readResource(uri)
      return { contents: Array.isArray(contents) ? (contents as LibraryContent[]) : [] }
    },
  }
}
