import type { Collision, ToolSummary } from '@herma/contract'
import { findParamHeaders, type ParamHeader } from '../wire/index.ts'
import { alternativeName, exposedName } from './exposed-name.ts'
import { paginate, type Page, type Pages } from './pages.ts'
import { createTemplateMatcher } from './uri-template.ts'

export type CatalogKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'
type Entry = Record<string, unknown>

/** What one connector brings to the catalog. */
export interface CatalogSource {
  readonly id: string
  readonly name: string
  readonly prefix: string
  /** Creation order, which decides who keeps a name that two want. */
  readonly position: number
  readonly descriptors: Record<CatalogKind, readonly Entry[]>
}

/** Where a name leads. */
export interface Route {
  readonly connectorId: string
  readonly original: string
  readonly paramHeaders: readonly ParamHeader[] | null
}

interface TemplateRoute {
  readonly connectorId: string
  readonly template: string
  matches(uri: string): boolean
}

const kinds: readonly CatalogKind[] = ['tools', 'resources', 'resourceTemplates', 'prompts']

/**
 * What clients see and where each name leads. It is rebuilt when a connector or a list changes, never during a call:
 * a call only looks a name up, and a list is answered with bytes made here.
 */
export class Catalog {
  readonly #sources = new Map<string, CatalogSource>()
  #tools = new Map<string, Route>()
  #prompts = new Map<string, Route>()
  #resources = new Map<string, string>()
  #templates: TemplateRoute[] = []
  #pages: Record<CatalogKind, Pages>
  #summaries: ToolSummary[] = []
  #collisions: Collision[] = []
  readonly #onChange: (kinds: readonly CatalogKind[]) => void

  constructor(onChange: (kinds: readonly CatalogKind[]) => void) {
    this.#onChange = onChange
    this.#pages = {
      tools: paginate([]),
      resources: paginate([]),
      resourceTemplates: paginate([]),
      prompts: paginate([]),
    }
  }

  /** Adds or replaces sources; many at once cost one rebuild. */
  set(...sources: readonly CatalogSource[]): void {
    for (const source of sources) this.#sources.set(source.id, source)
    this.#rebuild()
  }

  remove(id: string): void {
    if (this.#sources.delete(id)) this.#rebuild()
  }

  tool(name: string): Route | undefined {
    return this.#tools.get(name)
  }

  prompt(name: string): Route | undefined {
    return this.#prompts.get(name)
  }

  /** Connectors that may know this URI, the likeliest first. Reading is safe, so several may be tried. */
  resourceOwners(uri: string): string[] {
    const exact = this.#resources.get(uri)
    if (exact !== undefined) return [exact]
    const matching = this.#templates.filter(({ matches }) => matches(uri)).map(({ connectorId }) => connectorId)
    const scheme = uri.slice(0, uri.indexOf(':') + 1)
    const sameScheme = [...this.#resources].filter(([known]) => known.startsWith(scheme)).map(([, id]) => id)
    return [...new Set([...matching, ...sameScheme, ...this.#inOrder().map(({ id }) => id)])]
  }

  templateOwner(template: string): string | undefined {
    return this.#templates.find((route) => route.template === template)?.connectorId
  }

  /** A page of a list, or undefined for a cursor that is not ours. */
  page(kind: CatalogKind, cursor: string | undefined): Page | undefined {
    return this.#pages[kind].page(cursor)
  }

  tools(connectorId?: string): ToolSummary[] {
    if (connectorId === undefined) return this.#summaries
    const name = this.#sources.get(connectorId)?.name
    return this.#summaries.filter((summary) => summary.connector === name)
  }

  collisions(): Collision[] {
    return this.#collisions
  }

  counts(): Record<CatalogKind, number> {
    const { tools, resources, resourceTemplates, prompts } = this.#pages
    return {
      tools: tools.count,
      resources: resources.count,
      resourceTemplates: resourceTemplates.count,
      prompts: prompts.count,
    }
  }

  /** Connectors in the order that decides names. */
  connectorIds(): string[] {
    return this.#inOrder().map(({ id }) => id)
  }

  #inOrder(): CatalogSource[] {
    return [...this.#sources.values()].toSorted((a, b) => a.position - b.position)
  }

  #rebuild(): void {
    const sources = this.#inOrder()
    this.#collisions = []
    const before = this.#pages
    const tools = this.#name(sources, 'tools', 'tool')
    const prompts = this.#name(sources, 'prompts', 'prompt')
    this.#tools = tools.routes
    this.#prompts = prompts.routes
    this.#summaries = tools.exposed.map(({ source, entry, original }) => toSummary(source, entry, original))
    const resources = this.#unique(sources, 'resources', 'uri')
    const templates = this.#unique(sources, 'resourceTemplates', 'uriTemplate')
    this.#resources = new Map(resources.map(({ source, entry }) => [String(entry['uri']), source.id]))
    this.#templates = templates.map(({ source, entry }) => {
      const template = String(entry['uriTemplate'])
      return { connectorId: source.id, template, matches: createTemplateMatcher(template) }
    })
    const toEntries = (list: readonly { entry: Entry }[]) => list.map(({ entry }) => entry)
    this.#pages = {
      tools: paginate(toEntries(tools.exposed), 'name'),
      prompts: paginate(toEntries(prompts.exposed), 'name'),
      resources: paginate(toEntries(resources), 'uri'),
      resourceTemplates: paginate(toEntries(templates), 'uriTemplate'),
    }
    const changed = kinds.filter((kind) => !this.#pages[kind].equals(before[kind]))
    if (changed.length > 0) this.#onChange(changed)
  }

  /** Gives every tool or prompt its name; on a clash the connector that came first keeps it. */
  #name(sources: readonly CatalogSource[], kind: 'tools' | 'prompts', word: 'tool' | 'prompt') {
    const routes = new Map<string, Route>()
    const exposed: { source: CatalogSource; entry: Entry; original: string }[] = []
    for (const source of sources) {
      for (const descriptor of source.descriptors[kind]) {
        const original = String(descriptor['name'])
        const wanted = exposedName(source.prefix, original)
        const holder = routes.get(wanted)
        const name =
          holder === undefined ? wanted : alternativeName(source.name, original, (taken) => routes.has(taken))
        if (holder !== undefined) {
          const winner = this.#sources.get(holder.connectorId)!.name
          this.#collisions.push({ kind: word, wanted, winner, loser: source.name, exposedAs: name })
        }
        const found = kind === 'tools' ? findParamHeaders(descriptor['inputSchema']) : []
        routes.set(name, { connectorId: source.id, original, paramHeaders: found.length > 0 ? found : null })
        exposed.push({ source, entry: name === original ? descriptor : { ...descriptor, name }, original })
      }
    }
    return { routes, exposed }
  }

  /** URIs pass as they are, so of two the same only the first can be reached. */
  #unique(sources: readonly CatalogSource[], kind: 'resources' | 'resourceTemplates', key: string) {
    const owners = new Map<string, CatalogSource>()
    const exposed: { source: CatalogSource; entry: Entry }[] = []
    for (const source of sources) {
      for (const entry of source.descriptors[kind]) {
        const uri = String(entry[key])
        const holder = owners.get(uri)
        if (holder !== undefined) {
          const word = kind === 'resources' ? 'resource' : 'resourceTemplate'
          this.#collisions.push({ kind: word, wanted: uri, winner: holder.name, loser: source.name, exposedAs: null })
          continue
        }
        owners.set(uri, source)
        exposed.push({ source, entry })
      }
    }
    return exposed
  }
}

function toSummary(source: CatalogSource, entry: Entry, original: string): ToolSummary {
  return {
    name: String(entry['name']),
    connector: source.name,
    originalName: original,
    title: typeof entry['title'] === 'string' ? entry['title'] : null,
    description: typeof entry['description'] === 'string' ? entry['description'] : '',
    descriptor: entry,
  }
}
