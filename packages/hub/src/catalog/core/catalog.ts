import { setImmediate } from 'node:timers/promises'
import type { Collision, ToolSummary } from '@herma/contract'
import { hasSameRules, noRules, type CatalogRules } from './catalog-rules.ts'
import { catalogKinds, type CatalogKind, type CatalogSource } from './catalog-source.ts'
import { hashSource, hashTools } from './hash-tools.ts'
import { hostTools } from './hosted-catalog.ts'
import { nameEntries, uniqueEntries, type NamedEntries } from './name-entries.ts'
import type { OwnTool } from './own-tool.ts'
import { ListPages, type Page } from './pages.ts'
import { noJudges, shapeOwnTool, shapeSource, type ShapedSource, type ToolJudges } from './shape-source.ts'
import { readEntry, type ShapedEntry, type ShapedTool } from './shaped-entry.ts'
import { createTemplateMatcher } from './uri-template.ts'

interface TemplateRoute {
  readonly connectorId: string
  readonly template: string
  matches(uri: string): boolean
}

/**
 * What clients see and where each name leads. It is rebuilt when a connector, a list or a rule changes, never during a
 * call: a call only looks a name up, and a list is answered with bytes made here. A change of one connector shapes only
 * its own descriptors again; of the others bytes are copied.
 */
export class Catalog {
  readonly #sources = new Map<string, CatalogSource>()
  #shaped = new Map<string, ShapedSource>()
  /** The same, in the order that decides names. */
  #inOrder: readonly ShapedSource[] = []
  /** Names of the connectors that are in no list here. */
  #unlisted: ReadonlySet<string> = new Set()
  #ownTools: ShapedTool[] = []
  #rules: CatalogRules = noRules
  readonly #judges: ToolJudges
  #tools: NamedEntries<ShapedTool> = nothingNamed
  #prompts: NamedEntries<ShapedEntry> = nothingNamed
  #resources = new Map<string, ShapedEntry>()
  #templates: TemplateRoute[] = []
  #lists: Record<CatalogKind, readonly ShapedEntry[]> = { tools: [], resources: [], resourceTemplates: [], prompts: [] }
  #pages: Record<CatalogKind, ListPages> = {
    tools: noPages,
    resources: noPages,
    resourceTemplates: noPages,
    prompts: noPages,
  }
  #collisions: Collision[] = []
  #hiddenHash = ''
  #unlistedHash = ''
  /** Counts the rebuilds, for those who keep something that was made from the catalog. */
  version = 0
  readonly #onChange: (kinds: readonly CatalogKind[]) => void

  constructor(onChange: (kinds: readonly CatalogKind[]) => void, judges: ToolJudges = noJudges) {
    this.#onChange = onChange
    this.#judges = judges
  }

  /** Adds or replaces sources; many at once cost one rebuild. */
  set(...sources: readonly CatalogSource[]): void {
    for (const source of sources) this.#sources.set(source.id, source)
    this.#rebuild()
  }

  /** Like `set`, with time for others between the sources: for whom many are many thousands of tools. */
  async setGradually(sources: readonly CatalogSource[]): Promise<void> {
    for (const source of sources) {
      this.#sources.set(source.id, source)
      this.#shaped.set(source.id, shapeSource(source, this.#rules, this.#judges))
      await setImmediate()
    }
    this.#rebuild()
  }

  remove(id: string): void {
    if (this.#sources.delete(id)) this.#rebuild()
  }

  /** Shapes what other rules will change, with time for others between the sources. */
  async prepare(rules: CatalogRules): Promise<ReadonlyMap<string, ShapedSource>> {
    const prepared = new Map<string, ShapedSource>()
    for (const source of this.#sources.values()) {
      if (hasSameRules(rules, this.#rules, source.name)) continue
      prepared.set(source.id, shapeSource(source, rules, this.#judges))
      await setImmediate()
    }
    return prepared
  }

  /** Replaces what people want of the catalog. What they want of a source as before is not shaped again. */
  configure(rules: CatalogRules, prepared: ReadonlyMap<string, ShapedSource> = new Map()): void {
    for (const [id, { source }] of this.#shaped) {
      if (hasSameRules(rules, this.#rules, source.name)) continue
      const ready = prepared.get(id)
      if (ready?.source === source) this.#shaped.set(id, ready)
      else this.#shaped.delete(id)
    }
    this.#rules = rules
    this.#ownTools = rules.ownTools.map((own) => shapeOwnTool(own, rules))
    this.#rebuild()
  }

  /** Replaces the tools that Herma runs itself; those of servers stay as they are. */
  setOwnTools(ownTools: readonly OwnTool[]): void {
    this.#rules = { ...this.#rules, ownTools }
    this.#ownTools = ownTools.map((own) => shapeOwnTool(own, this.#rules))
    this.#rebuild()
  }

  /** Something changed in how the tools of a source are judged. */
  reconsider(id: string): void {
    if (this.#shaped.delete(id)) this.#rebuild()
  }

  get sources(): readonly CatalogSource[] {
    return this.#inOrder.map(({ source }) => source)
  }

  get rules(): CatalogRules {
    return this.#rules
  }

  tool(name: string): ShapedTool | undefined {
    return this.#tools.byName.get(name)
  }

  /** What servers spell like this although it has another name; several servers may do so. */
  spelled(kind: 'tools', name: string): readonly ShapedTool[]
  spelled(kind: 'prompts', name: string): readonly ShapedEntry[]
  spelled(kind: 'tools' | 'prompts', name: string): readonly ShapedEntry[] {
    return (kind === 'tools' ? this.#tools : this.#prompts).bySpelling.get(name) ?? []
  }

  /** A tool by its connector and its own name, hidden or not; without a connector by the name that clients see first. */
  member(server: string | undefined, tool: string): ShapedTool | undefined {
    if (server === undefined) {
      const exposed = this.#tools.byName.get(tool) ?? onlyOne(this.spelled('tools', tool))
      if (exposed !== undefined) return exposed
    }
    for (const { source, tools } of this.#inOrder) {
      if (server !== undefined && source.name !== server) continue
      const found = tools.find(({ original }) => original === tool)
      if (found !== undefined) return found
    }
    return server === 'herma' ? this.#ownTools.find(({ original }) => original === tool) : undefined
  }

  /** Every tool of a source, hidden or not. */
  toolsOf(id: string): readonly ShapedTool[] {
    return this.#shaped.get(id)?.tools ?? []
  }

  /** Everything of a source, for a server that hosts it alone. */
  shapedOf(id: string): ShapedSource | undefined {
    return this.#shaped.get(id)
  }

  /** The tools that Herma runs itself, hidden or not. */
  get ownTools(): readonly ShapedTool[] {
    return this.#ownTools
  }

  prompt(name: string): ShapedEntry | undefined {
    return this.#prompts.byName.get(name)
  }

  /** Connectors that may know this URI, the likeliest first. Reading is safe, so several may be tried. */
  resourceOwners(uri: string): string[] {
    const exact = this.#resources.get(uri)
    if (exact !== undefined) return [exact.source.id]
    const matching = this.#templates.filter(({ matches }) => matches(uri)).map(({ connectorId }) => connectorId)
    const scheme = uri.slice(0, uri.indexOf(':') + 1)
    const sameScheme = [...this.#resources]
      .filter(([known]) => known.startsWith(scheme))
      .map(([, { source }]) => source.id)
    return [...new Set([...matching, ...sameScheme, ...this.connectorIds()])]
  }

  templateOwner(template: string): string | undefined {
    return this.#templates.find((route) => route.template === template)?.connectorId
  }

  /** A page of a list, or undefined for a cursor that is not ours. */
  page(kind: CatalogKind, cursor: string | undefined): Page | undefined {
    return this.#pages[kind].page(cursor)
  }

  /** The entries of a list in their order. */
  list(kind: 'tools'): readonly ShapedTool[]
  list(kind: CatalogKind): readonly ShapedEntry[]
  list(kind: CatalogKind): readonly ShapedEntry[] {
    return this.#lists[kind]
  }

  /** Sums tools up for people. */
  tools(connectorId?: string): ToolSummary[] {
    const all = this.list('tools')
    if (connectorId === undefined) return all.map(toSummary)
    const shaped = this.#shaped.get(connectorId)
    if (shaped?.source.isUnlisted === true) return hostTools(shaped.tools).map(toSummary)
    return all.filter(({ source }) => source.id === connectorId).map(toSummary)
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

  /** The connectors of the facade in the order that decides names. */
  connectorIds(): string[] {
    return this.#inOrder.filter(isListed).map(({ source }) => source.id)
  }

  /** False for a connector that is only in servers that host it. */
  reaches(server: string): boolean {
    return !this.#unlisted.has(server)
  }

  #shape(): void {
    const shaped = new Map<string, ShapedSource>()
    for (const source of this.#sources.values()) {
      const known = this.#shaped.get(source.id)
      const isSame = known !== undefined && known.source === source
      shaped.set(source.id, isSame ? known : shapeSource(source, this.#rules, this.#judges))
    }
    this.#shaped = shaped
    this.#inOrder = [...shaped.values()].toSorted((a, b) => a.source.position - b.source.position)
  }

  #rebuild(): void {
    const before = this.#pages
    this.version++
    this.#shape()
    const sources = this.#inOrder.filter(isListed)
    const unlisted = this.#inOrder.filter((shaped) => !isListed(shaped))
    this.#unlisted = new Set(unlisted.map(({ source }) => source.name))
    const wanted = [...this.#ownTools, ...sources.flatMap(({ tools }) => tools)]
    const tools = nameEntries(wanted.filter(isVisible), 'tool')
    const prompts = nameEntries(
      sources.flatMap((shaped) => shaped.prompts),
      'prompt',
    )
    const resources = uniqueEntries(
      sources.flatMap((shaped) => shaped.resources),
      'resource',
    )
    const templates = uniqueEntries(
      sources.flatMap((shaped) => shaped.resourceTemplates),
      'resourceTemplate',
    )
    this.#collisions = [tools, prompts, resources, templates].flatMap(({ collisions }) => collisions)
    for (const tool of wanted) if (tool.hiddenBecause !== null) tool.rename(null)
    noteFallbacks(wanted)
    this.#tools = tools
    this.#prompts = prompts
    this.#resources = resources.byUri
    this.#lists = {
      tools: [...tools.byName.values()],
      prompts: [...prompts.byName.values()],
      resources: [...resources.byUri.values()],
      resourceTemplates: [...templates.byUri.values()],
    }
    this.#templates = this.#lists.resourceTemplates.map(({ source, original }) => {
      return { connectorId: source.id, template: original, matches: createTemplateMatcher(original) }
    })
    const pages = (kind: CatalogKind) => new ListPages(this.#lists[kind], { isHome: true })
    this.#pages = {
      tools: pages('tools'),
      prompts: pages('prompts'),
      resources: pages('resources'),
      resourceTemplates: pages('resourceTemplates'),
    }
    const changed = catalogKinds.filter((kind) => !this.#pages[kind].equals(before[kind]))
    const hiddenHash = hashTools([
      ...wanted.filter((tool) => !isVisible(tool)),
      ...unlisted.flatMap((shaped) => shaped.tools),
    ])
    const isHiddenSame = hiddenHash === this.#hiddenHash
    this.#hiddenHash = hiddenHash
    const unlistedHash = unlisted.map(hashSource).join('\n')
    const isUnlistedSame = unlistedHash === this.#unlistedHash
    this.#unlistedHash = unlistedHash
    // Clients of a server that hosts a connector list what is in no list here.
    if (changed.length > 0 || !isUnlistedSame) this.#onChange(isUnlistedSame ? changed : catalogKinds)
    if (!isHiddenSame) this.#judges.onHiddenChange()
  }
}

const noPages = new ListPages([])
const nothingNamed = nameEntries<never>([], 'tool')

function onlyOne<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}

function isListed({ source }: ShapedSource): boolean {
  return source.isUnlisted !== true
}

function isVisible({ hiddenBecause }: ShapedTool): boolean {
  return hiddenBecause === null
}

/** Notes of each tool which other servers have one of the same name. */
function noteFallbacks(tools: readonly ShapedTool[]): void {
  const first = new Map<string, string>()
  const several = new Map<string, Set<string>>()
  for (const { original, source, own } of tools) {
    if (own !== null) continue
    const known = first.get(original)
    if (known === undefined) first.set(original, source.name)
    else if (known !== source.name) several.set(original, (several.get(original) ?? new Set([known])).add(source.name))
  }
  for (const tool of tools) {
    const others = tool.own === null ? several.get(tool.original) : undefined
    tool.setFallbacks(others === undefined ? '' : [...others].filter((name) => name !== tool.source.name).join('\n'))
  }
}

function toSummary(tool: ShapedTool): ToolSummary {
  const descriptor = readEntry(tool)
  return {
    name: tool.name!,
    connector: tool.source.name,
    originalName: tool.original,
    title: typeof descriptor['title'] === 'string' ? descriptor['title'] : null,
    description: typeof descriptor['description'] === 'string' ? descriptor['description'] : '',
    descriptor,
  }
}
