import type { Catalog } from './catalog.ts'
import type { CatalogKind } from './catalog-source.ts'
import { unlistedReason } from './shape-source.ts'
import { readEntry, ShapedEntry, toBytes, type ShapedTool } from './shaped-entry.ts'

/**
 * The catalog of a server that hosts one connector: what that one offers under its own names, as rules, approvals and
 * overrides leave it, and nothing of the others.
 */
export class HostedCatalog {
  readonly #catalog: Catalog
  readonly #id: string
  #tools = new Map<string, ShapedTool>()
  #prompts = new Map<string, ShapedEntry>()
  #version = -1

  constructor(catalog: Catalog, connectorId: string) {
    this.#catalog = catalog
    this.#id = connectorId
  }

  tool(name: string): ShapedTool | undefined {
    this.#follow()
    return this.#tools.get(name)
  }

  prompt(name: string): ShapedEntry | undefined {
    this.#follow()
    return this.#prompts.get(name)
  }

  /** Names are the server's own here, so that there is no other spelling. */
  spelled(_kind: 'tools' | 'prompts', _name: string): readonly never[] {
    return []
  }

  list(kind: 'tools'): readonly ShapedTool[]
  list(kind: CatalogKind): readonly ShapedEntry[]
  list(kind: CatalogKind): readonly ShapedEntry[] {
    this.#follow()
    if (kind === 'tools') return [...this.#tools.values()]
    if (kind === 'prompts') return [...this.#prompts.values()]
    return this.#catalog.shapedOf(this.#id)?.[kind] ?? []
  }

  reaches(server: string): boolean {
    return this.#catalog.shapedOf(this.#id)?.source.name === server
  }

  resourceOwners(_uri: string): readonly string[] {
    return [this.#id]
  }

  templateOwner(_template: string): string | undefined {
    return this.#id
  }

  connectorIds(): readonly string[] {
    return [this.#id]
  }

  #follow(): void {
    if (this.#version === this.#catalog.version) return
    this.#version = this.#catalog.version
    const shaped = this.#catalog.shapedOf(this.#id)
    this.#tools = new Map(hostTools(shaped?.tools ?? []).map((tool) => [tool.name!, tool]))
    this.#prompts = new Map((shaped?.prompts ?? []).map((prompt) => [prompt.original, withOwnName(prompt)]))
  }
}

/** The tools of one connector written down once more, under the names that they have there. */
export function hostTools(tools: readonly ShapedTool[]): ShapedTool[] {
  const byName = new Map<string, ShapedTool>()
  for (const tool of tools) {
    const isOffered = tool.hiddenBecause === null || tool.hiddenBecause === unlistedReason
    const name = ownName(tool)
    if (isOffered && !byName.has(name)) byName.set(name, hosted(tool, name))
  }
  return [...byName.values()]
}

function hosted(tool: ShapedTool, name: string): ShapedTool {
  const written = tool.writtenAs(readEntry(tool), name).namingOnly(() => false)
  written.checksLeft = tool.checksLeft
  return written
}

/** A name that a person gave stays; the prefix of the facade does not. */
function ownName({ wanted, isRenamed, original }: ShapedTool): string {
  return isRenamed ? wanted : original
}

function withOwnName(prompt: ShapedEntry): ShapedEntry {
  const entry = new ShapedEntry(prompt.source, prompt.original, toBytes(readEntry(prompt), 'name'))
  entry.name = prompt.original
  return entry
}
