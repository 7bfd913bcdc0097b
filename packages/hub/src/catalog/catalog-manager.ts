import {
  HubError,
  overrideFields,
  type CatalogHistory,
  type CatalogTool,
  type Collision,
  type CompositeInput,
  type CompositeView,
  type CostReport,
  type DriftReport,
  type DryRunReport,
  type DryRunRequest,
  type FragmentView,
  type HistoryLimits,
  type OverrideChange,
  type OverrideChanges,
  type OverrideView,
  type PinApproval,
  type PinReview,
  type PinView,
  type PruneReport,
  type ToolDetail,
  type ToolFinding,
  type ToolMatch,
  type ToolOverride,
  type ToolSummary,
  type View,
} from '@herma/contract'
import type { Descriptor } from '../wire/index.ts'
import type { Catalog } from './core/catalog.ts'
import type { CatalogUpdater } from './catalog-updater.ts'
import { rulesFor } from './core/catalog-rules.ts'
import { hermaSource, type CatalogSource } from './core/catalog-source.ts'
import type { Composites } from './composite/composites.ts'
import { describeDryRun } from './composite/describe-dry-run.ts'
import { describeMembers } from './composite/describe-members.ts'
import type { DriftLog } from './drift/drift-log.ts'
import type { DriftWatch } from './drift/drift-watch.ts'
import { summaryOf } from './mode/mode-catalog.ts'
import type { OverrideRegistry } from './override/override-registry.ts'
import type { Pins } from './pin/pins.ts'
import { scanCatalog } from './pin/scan/scan-catalog.ts'
import { scanDescriptor } from './pin/scan/scan-descriptor.ts'
import { observer } from './drift/render-intended.ts'
import { listAdaptations } from './schema/list-adaptations.ts'
import { normaliseTool } from './schema/normalisation/normalise-tool.ts'
import type { OutputAdapter } from './schema/output-adapter.ts'
import type { Scope } from './scope/scope.ts'
import type { Scopes } from './scope/scopes.ts'
import { overrideTool } from './core/shape-source.ts'
import { readEntry, type ShapedTool } from './core/shaped-entry.ts'
import { viewTools } from './view-tools.ts'

interface ManagerOptions {
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly updater: CatalogUpdater
  readonly composites: Composites
  readonly overrides: OverrideRegistry
  readonly pins: Pins
  readonly adapter: OutputAdapter
  readonly drift: DriftLog
  readonly watch: DriftWatch
  intended(): Promise<Scope>
}

const shownCostliest = 20

/** Where people look at the catalog and change it, by the CLI, the API or the UI. */
export class CatalogManager {
  readonly #parts: ManagerOptions

  constructor(parts: ManagerOptions) {
    this.#parts = parts
  }

  tools(): ToolSummary[] {
    return this.#parts.catalog.tools()
  }

  collisions(): Collision[] {
    return this.#parts.catalog.collisions()
  }

  /** Of one server or of all; those that clients do not see only when they are wanted. */
  all(server: string | undefined, withHidden: boolean): CatalogTool[] {
    const { catalog } = this.#parts
    const isOwn = server === hermaSource.name
    const sources = server === undefined ? catalog.sources : isOwn ? [] : [this.#source(server)]
    const ownTools = server === undefined || isOwn ? catalog.ownTools : []
    const tools = [...ownTools, ...sources.flatMap(({ id }) => catalog.toolsOf(id))]
    return viewTools(
      tools.filter(({ name }) => withHidden || name !== null),
      this.#parts,
    )
  }

  detail(server: string, tool: string): ToolDetail {
    const { catalog, overrides, adapter } = this.#parts
    const shaped = this.#find(server, tool)
    const original = this.#original(shaped)
    const applied = rulesFor(catalog.rules, shaped.source.name)(shaped.original)
    const exposed = readEntry(shaped)
    const states = overrides.statesOf(shaped.source.id, original)
    const adapted = adapter.adapt(shaped.source.id, original)
    return {
      name: shaped.name,
      connector: shaped.source.name,
      originalName: shaped.original,
      hiddenBecause: shaped.hiddenBecause,
      tags: [...shaped.tags],
      tokens: shaped.tokens,
      schema: adapted.status ?? normaliseTool(exposed).status,
      adaptations: listAdaptations(overrideTool(adapted.descriptor, applied), adapted),
      fields: overrideFields
        .filter((field) => field !== 'enabled')
        .map((field) => ({
          field,
          original: field === 'tags' ? [...(shaped.own?.tags ?? [])] : (original[field] ?? null),
          override: applied.override[field] ?? null,
          exposed: (field === 'name' ? shaped.name : field === 'tags' ? [...shaped.tags] : exposed[field]) ?? null,
          origin: applied.origins[field] ?? null,
          state: field in states ? states[field as keyof typeof states]!.state : null,
          base: field in states ? states[field as keyof typeof states]!.base : null,
        })),
      byHand: overrides.of(shaped.source.name, shaped.original) ?? null,
      findings: scanDescriptor(original),
    }
  }

  cost(): CostReport {
    const { catalog, scopes } = this.#parts
    const tools = catalog.list('tools')
    const servers = new Map<string, { server: string; tools: number; tokens: number }>()
    for (const { source, tokens } of tools) {
      const sum = servers.get(source.name) ?? { server: source.name, tools: 0, tokens: 0 }
      servers.set(source.name, { ...sum, tools: sum.tools + 1, tokens: sum.tokens + tokens })
    }
    const costliest = tools.toSorted((a, b) => b.tokens - a.tokens).slice(0, shownCostliest)
    return {
      tokens: sumTokens(tools),
      tools: tools.length,
      servers: [...servers.values()].toSorted((a, b) => b.tokens - a.tokens),
      costliest: costliest.map(({ name, source, tokens }) => ({ name: name!, server: source.name, tokens })),
      modes: (['full', 'search', 'code'] as const).map((mode) => ({ mode, tokens: scopes.costOf(mode) })),
    }
  }

  search(query: string, limit: number): ToolMatch[] {
    const found = this.#parts.scopes.for(observer).search(query, limit)
    return found.map((tool) => ({
      name: tool.name,
      server: tool.server,
      description: summaryOf(tool),
      tokens: tool.tokens,
    }))
  }

  fragments(): FragmentView[] {
    return this.#parts.updater.fragments()
  }

  async reload(): Promise<FragmentView[]> {
    await this.#parts.updater.reload()
    return this.fragments()
  }

  views(): View[] {
    return [...this.#parts.scopes.views]
  }

  overrides(): OverrideView[] {
    return this.#parts.overrides.list()
  }

  changeOverride(server: string, tool: string, change: OverrideChange): Promise<ToolOverride> {
    return this.#parts.overrides.change(server, tool, change)
  }

  /** How many there were. */
  async changeOverrides({ changes }: OverrideChanges): Promise<number> {
    return (await this.#parts.overrides.changeAll(changes)).length
  }

  async removeOverride(server: string, tool: string): Promise<void> {
    if (await this.#parts.overrides.remove(server, tool)) return
    throw new HubError(
      'TOOL_NOT_FOUND',
      `Nothing was said about '${tool}' of '${server}'. See: herma catalog overrides`,
    )
  }

  acceptOverride(server: string, tool: string): ToolDetail {
    const shaped = this.#find(server, tool)
    this.#parts.overrides.accept(shaped.source.id, this.#original(shaped))
    return this.detail(server, tool)
  }

  dryRun({ tool, definition, arguments: args }: DryRunRequest): DryRunReport {
    const { updater, composites, catalog } = this.#parts
    if (definition !== undefined) return composites.dryRun(definition, args)
    return describeDryRun(updater.merged, { tool: tool!, arguments: args }, describeMembers(catalog))
  }

  composites(): Promise<CompositeView[]> {
    return this.#parts.composites.list()
  }

  saveComposite(name: string, input: CompositeInput): Promise<CompositeView> {
    return this.#parts.composites.save(name, input)
  }

  removeComposite(name: string): Promise<void> {
    return this.#parts.composites.remove(name)
  }

  pins({ server, pending }: { server?: string | undefined; pending?: boolean | undefined }): PinView[] {
    const connectorId = server === undefined ? undefined : this.#source(server).id
    return this.#parts.pins.list({ connectorId, isPending: pending })
  }

  reviewPin(server: string, tool: string): Promise<PinReview> {
    return this.#parts.pins.review(this.#source(server).id, tool)
  }

  approvePins(server: string, reviewed: readonly PinApproval[]): Promise<PinView[]> {
    return this.#parts.pins.approveAll(this.#source(server).id, reviewed)
  }

  dropAbsentPins(server: string): string[] {
    return this.#parts.pins.dropAbsent(this.#source(server).id)
  }

  findings(): ToolFinding[] {
    return scanCatalog(
      this.#parts.catalog.sources.flatMap(({ name, descriptors }) =>
        descriptors.read('tools').map((descriptor) => ({ connector: name, descriptor })),
      ),
    )
  }

  async intended(): Promise<Descriptor[]> {
    const scope = await this.#parts.intended()
    return JSON.parse(scope.wholeList('tools').toString('utf8')) as Descriptor[]
  }

  live(): Promise<Descriptor[]> {
    return this.#parts.watch.liveTools()
  }

  drift(): Promise<DriftReport> {
    return this.#parts.watch.capture()
  }

  history(limit: number): Promise<CatalogHistory> {
    return this.#parts.drift.history(limit)
  }

  prune(limits: HistoryLimits): Promise<PruneReport> {
    return this.#parts.drift.prune(limits)
  }

  #source(name: string): CatalogSource {
    const source = this.#parts.catalog.sources.find((candidate) => candidate.name === name)
    if (source !== undefined) return source
    throw new HubError('CONNECTOR_NOT_FOUND', `No enabled connector is named '${name}'. See: herma list`)
  }

  #find(server: string, tool: string): ShapedTool {
    const found = this.#parts.catalog.member(server, tool)
    if (found !== undefined) return found
    throw new HubError('TOOL_NOT_FOUND', `'${server}' has no tool '${tool}'. See: herma tools`)
  }

  #original({ source, original, own }: ShapedTool): Descriptor {
    if (own !== null) return own.descriptor
    return source.descriptors.read('tools').find(({ name }) => name === original)!
  }
}

function sumTokens(tools: readonly ShapedTool[]): number {
  return tools.reduce((sum, { tokens }) => sum + tokens, 0)
}
