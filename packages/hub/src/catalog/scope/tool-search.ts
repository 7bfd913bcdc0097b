import { createHash } from 'node:crypto'
import type { Catalog } from '../core/catalog.ts'
import { toSearchDocument } from '../mode/search/search-document.ts'
import { SearchIndex } from '../mode/search/search-index.ts'
import { readEntry, type ShapedTool } from '../core/shaped-entry.ts'

/** A search over the tools of the catalog. It is built when somebody searches first, and follows the catalog then. */
export class ToolSearch {
  readonly #catalog: Catalog
  readonly #index = new SearchIndex()
  readonly #segments = new Map<string, string>()
  #version = -1

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  /** The names of the best tools, the best first. */
  search(query: string, limit: number, accepts: (tool: ShapedTool) => boolean): ShapedTool[] {
    this.#follow()
    const find = (name: string) => this.#catalog.tool(name)
    const hits = this.#index.search(query, { limit, accepts: (name) => accepts(find(name)!) })
    return hits.map(({ key }) => find(key)!)
  }

  /** Indexes again what changed: a segment is known by the names and sizes of its tools. */
  #follow(): void {
    if (this.#version === this.#catalog.version) return
    this.#version = this.#catalog.version
    const bySource = new Map<string, ShapedTool[]>()
    for (const tool of this.#catalog.list('tools')) {
      const tools = bySource.get(tool.source.id)
      if (tools === undefined) bySource.set(tool.source.id, [tool])
      else tools.push(tool)
    }
    for (const id of this.#segments.keys()) {
      if (bySource.has(id)) continue
      this.#index.removeSegment(id)
      this.#segments.delete(id)
    }
    for (const [id, tools] of bySource) {
      const content = digest(tools.map(({ name, fingerprint }) => `${name} ${fingerprint}`).join('\n'))
      if (this.#segments.get(id) === content) continue
      this.#index.setSegment(
        id,
        tools.map((tool) => toSearchDocument(tool.name!, readEntry(tool), tool.source.name, tool.tags)),
      )
      this.#segments.set(id, content)
    }
  }
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64url')
}
