import { HubError, type Mode, type ToolSelector, type View, compileGlob } from '@herma/contract'
import type { Era } from '../../wire/index.ts'
import type { Catalog } from '../core/catalog.ts'
import type { CatalogKind } from '../core/catalog-source.ts'
import { HostedCatalog } from '../core/hosted-catalog.ts'
import type { ModeCatalog, ModeTool } from '../mode/mode-catalog.ts'
import type { OwnServer, OwnTool } from '../core/own-tool.ts'
import { ListPages, type Page } from '../core/pages.ts'
import { normaliseTool } from '../schema/normalisation/normalise-tool.ts'
import { plainTool } from '../schema/plain-tool.ts'
import { shapeOwnTool } from '../core/shape-source.ts'
import { readEntry, type ShapedEntry, type ShapedTool } from '../core/shaped-entry.ts'
import type { ToolSearch } from './tool-search.ts'

/** What makes one client's catalog different from another's. */
export interface ScopeSettings {
  readonly view: View | null
  readonly mode: Mode
  /** Descriptors say which server they come from. */
  readonly hasMetadata: boolean
  /** Rewritten for clients that take simple ones only, or, in the legacy era, those of 2025-11-25 only. */
  readonly schemas: 'original' | 'plain' | 'strict'
  /** `search` and `fetch` are offered when nobody else has them. */
  readonly hasFallbacks: boolean
  /** Set for a server that has tools of its own and none of the catalog. */
  readonly own?: OwnServer | undefined
  /** Id of the connector that the server hosts, under its own names and with nothing besides. */
  readonly host?: string | undefined
}

interface ScopeOptions {
  readonly catalog: Catalog
  readonly search: ToolSearch
  /** The tools that a mode puts in place of the others. */
  modeTools(mode: Mode, scope: Scope): OwnTool[]
  /** Tools that are there only while nobody else has their names. */
  readonly fallbacks: readonly OwnTool[]
}

/** The catalog as one kind of client sees it. Its lists are made when they are first asked for after a change. */
export class Scope implements ModeCatalog {
  readonly settings: ScopeSettings
  readonly #parts: ScopeOptions
  readonly #catalog: Catalog | HostedCatalog
  readonly #isWhole: boolean
  readonly #accepts: (tool: ShapedTool) => boolean
  readonly #acceptsServer: (server: string) => boolean
  /** Those of the mode and the fallbacks. */
  #extraTools = new Map<string, ShapedTool>()
  #pages: Partial<Record<CatalogKind, ListPages>> = {}
  /** The tools in plain form, made when a client lists that needs them so and the same pages do not suit all. */
  #plainPages: ListPages | null = null
  #needsPlainPages = false
  #version = -1

  constructor(settings: ScopeSettings, parts: ScopeOptions) {
    this.settings = settings
    this.#parts = parts
    this.#catalog = settings.host === undefined ? parts.catalog : new HostedCatalog(parts.catalog, settings.host)
    const { view, mode, hasMetadata, schemas, hasFallbacks } = settings
    const isAll = view === null && settings.own === undefined && settings.host === undefined
    this.#isWhole = isAll && mode === 'full' && hasMetadata && schemas !== 'strict' && !hasFallbacks
    this.#accepts = settings.own !== undefined ? () => false : view === null ? () => true : toolFilter(view)
    this.#acceptsServer = settings.own !== undefined ? () => false : view === null ? () => true : serverFilter(view)
  }

  /** Where a name leads for this client. What it may not see answers exactly like what is not there. */
  tool(name: string): ShapedTool | undefined {
    if (this.#isWhole) return this.#parts.catalog.tool(name) ?? this.#spelled(name)
    this.#follow()
    return this.#extraTools.get(name) ?? this.visible(name)
  }

  prompt(name: string): ShapedEntry | undefined {
    const accepts = ({ source }: ShapedEntry) => this.#acceptsServer(source.name)
    const prompt = this.#catalog.prompt(name)
    if (prompt !== undefined) return accepts(prompt) ? prompt : undefined
    return onlyOne(name, this.#catalog.spelled('prompts', name).filter(accepts))
  }

  /** Whether the client may reach resources of this connector. */
  seesServer(name: string): boolean {
    return this.#acceptsServer(name) && this.#catalog.reaches(name)
  }

  /** Connectors that may know this URI, the likeliest first. */
  resourceOwners(uri: string): readonly string[] {
    return this.#catalog.resourceOwners(uri)
  }

  templateOwner(template: string): string | undefined {
    return this.#catalog.templateOwner(template)
  }

  /** Connectors that may be asked what only a server can know. */
  connectorIds(): readonly string[] {
    return this.#catalog.connectorIds()
  }

  /** A whole list as the bytes of a JSON array. */
  wholeList(kind: CatalogKind): Buffer {
    const parts: Buffer[] = []
    for (let page = this.page(kind, undefined); page !== undefined; page = this.page(kind, page.nextCursor)) {
      parts.push(Buffer.from(parts.length === 0 ? '[' : ','), page.entries.subarray(1, -1))
      if (page.nextCursor === undefined) break
    }
    return Buffer.concat([...parts, Buffer.from(']')])
  }

  page(kind: CatalogKind, cursor: string | undefined, era: Era = 'modern'): Page | undefined {
    this.#follow()
    if (kind === 'tools' && era === 'legacy' && this.#needsPlainPages) return this.#plain().page(cursor)
    if (this.#isWhole) return this.#parts.catalog.page(kind, cursor)
    const pages = (this.#pages[kind] ??= kind === 'tools' ? this.#toolPages() : this.#otherPages(kind))
    return pages.page(cursor)
  }

  /** What the tools in its list cost a model. */
  listedTokens(): number {
    this.#follow()
    const listed = this.settings.mode === 'full' ? this.visibleTools() : [...this.#extraTools.values()]
    return listed.reduce((sum, { tokens }) => sum + tokens, 0)
  }

  /** The tools in its list. */
  listedTools(): ModeTool[] {
    this.#follow()
    return this.#allTools().map(toModeTool)
  }

  /** How many tools its list has. */
  listedCount(): number {
    this.#follow()
    return this.#extraTools.size + (this.settings.mode === 'full' ? this.visibleTools().length : 0)
  }

  /** The tools that the client may call, whatever its mode lists. */
  visibleTools(): readonly ShapedTool[] {
    if (this.settings.own !== undefined) return []
    const tools = this.#catalog.list('tools')
    return this.settings.view === null ? tools : tools.filter(this.#accepts)
  }

  list(): Iterable<ModeTool> {
    return this.visibleTools().map(toModeTool)
  }

  find(name: string): ModeTool | undefined {
    const tool = this.visible(name)
    return tool === undefined ? undefined : toModeTool(tool)
  }

  search(query: string, limit: number): ModeTool[] {
    return this.#parts.search.search(query, limit, this.#accepts).map(toModeTool)
  }

  /** A tool of the catalog by its name, if the client may see it. A name is never another tool's spelling. */
  visible(name: string): ShapedTool | undefined {
    const tool = this.#catalog.tool(name)
    if (tool !== undefined) return this.#accepts(tool) ? tool : undefined
    return this.#spelled(name)
  }

  #spelled(name: string): ShapedTool | undefined {
    return onlyOne(name, this.#catalog.spelled('tools', name).filter(this.#accepts))
  }

  /** Makes anew what was made of a catalog that has changed. */
  #follow(): void {
    const { catalog, modeTools, fallbacks } = this.#parts
    if (this.#version === catalog.version) return
    this.#version = catalog.version
    this.#pages = {}
    const { mode, hasFallbacks, own } = this.settings
    const ofMode = mode === 'full' ? [] : modeTools(mode, this)
    const has = (name: string) => {
      const tool = this.#catalog.tool(name)
      return tool !== undefined && this.#accepts(tool)
    }
    const missing = hasFallbacks ? fallbacks.filter(({ name }) => !has(name)) : []
    const extra = [...(own?.tools ?? []), ...missing, ...ofMode].map((tool) => shapeOwnTool(tool, catalog.rules))
    const listed = extra.filter(({ hiddenBecause }) => hiddenBecause === null)
    for (const tool of listed) tool.rename(tool.wanted)
    this.#extraTools = new Map(listed.map((tool) => [tool.wanted, tool]))
    this.#plainPages = null
    const tools = own === undefined ? this.#catalog.list('tools') : listed
    const isPlainScope = mode === 'full' && this.settings.schemas === 'plain'
    this.#needsPlainPages = isPlainScope && tools.some((tool) => !tool.isPlain)
  }

  #toolPages(): ListPages {
    const { hasMetadata, schemas } = this.settings
    const tools = this.#allTools()
    return new ListPages(schemas === 'strict' ? tools.map(toStrict) : tools, { hasMetadata })
  }

  #allTools(): readonly ShapedTool[] {
    const extra = [...this.#extraTools.values()]
    return this.settings.mode === 'full' ? [...this.#listedTools(), ...extra] : extra
  }

  #plain(): ListPages {
    this.#plainPages ??= new ListPages(this.#allTools().map(toPlain), { hasMetadata: this.settings.hasMetadata })
    return this.#plainPages
  }

  /** What a client may not see is not named to it as another server of the same tool either. */
  #listedTools(): readonly ShapedTool[] {
    const tools = this.visibleTools()
    if (this.settings.view === null) return tools
    const servers = new Set(tools.map(({ source }) => source.name))
    return tools.map((tool) => tool.namingOnly((server) => servers.has(server)))
  }

  #otherPages(kind: Exclude<CatalogKind, 'tools'>): ListPages {
    const entries = this.#catalog.list(kind).filter(({ source }) => this.#acceptsServer(source.name))
    return new ListPages(entries)
  }
}

/** Guessing which one is meant could run the wrong one. */
function onlyOne<T extends ShapedEntry>(name: string, found: readonly T[]): T | undefined {
  if (found.length <= 1) return found[0]
  const names = found.map((entry) => `${JSON.stringify(entry.name)} of '${entry.source.name}'`)
  const text = `${JSON.stringify(name)} may be ${names.join(' or ')}. Use one of these names.`
  throw new HubError('INVALID_PARAMS', text, { data: { candidates: found.map((entry) => entry.name) } })
}

function toModeTool(tool: ShapedTool): ModeTool {
  const { name, source, tags, tokens } = tool
  return { name: name!, server: source.name, tags, tokens, descriptor: () => readEntry(tool) }
}

function toPlain(tool: ShapedTool): ShapedTool {
  return tool.isPlain ? tool : tool.writtenAs(plainTool(readEntry(tool)), tool.name!)
}

/** Of each tool once: strict clients list again and again. */
const strictForms = new WeakMap<ShapedTool, ShapedTool>()

function toStrict(tool: ShapedTool): ShapedTool {
  const known = strictForms.get(tool)
  if (known !== undefined && known.name === tool.name && known.meta() === tool.meta()) return known
  const strict = tool.writtenAs(normaliseTool(readEntry(tool)).descriptor, tool.name!)
  strictForms.set(tool, strict)
  return strict
}

function toolFilter({ include, exclude }: View): (tool: ShapedTool) => boolean {
  const [wanted, unwanted] = [include.map(toMatcher), exclude.map(toMatcher)]
  return (tool) => (wanted.length === 0 || wanted.some((fits) => fits(tool))) && !unwanted.some((fits) => fits(tool))
}

function toMatcher({ server, tool, tag, readOnly, destructive }: ToolSelector): (tool: ShapedTool) => boolean {
  const fitsServer = server === undefined ? null : compileGlob(server)
  const fitsTool = tool === undefined ? null : compileGlob(tool)
  return (candidate) =>
    (fitsServer === null || fitsServer(candidate.source.name)) &&
    (fitsTool === null || fitsTool(candidate.name!)) &&
    (tag === undefined || candidate.tags.includes(tag)) &&
    (readOnly === undefined || candidate.isReadOnly === readOnly) &&
    (destructive === undefined || candidate.mayDestroy === destructive)
}

/** Prompts and resources have neither tags nor hints: of a view, what is said of whole servers holds for them. */
function serverFilter({ include, exclude }: View): (server: string) => boolean {
  const wanted = include.map(({ server }) => compileGlob(server ?? '*'))
  const unwanted = exclude.filter(({ tool = '*', ...rest }) => {
    return /^\*+$/.test(tool) && Object.keys(rest).every((field) => field === 'server')
  })
  const refused = unwanted.map(({ server }) => compileGlob(server ?? '*'))
  return (server) =>
    (wanted.length === 0 || wanted.some((fits) => fits(server))) && !refused.some((fits) => fits(server))
}
