import { join } from 'node:path'
import type { CustomTool, Mode } from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { HiddenState } from '../platform/hidden-state/hidden-state.ts'
import type { ProcessWatchdog } from '../platform/process/process-watchdog.ts'
import type { Homes } from '../platform/file/homes.ts'
import type { Log } from '../platform/log.ts'
import type { Metric } from '../platform/metric/metrics.ts'
import { Signal } from '../platform/signal.ts'
import type { Store } from '../platform/store/store.ts'
import { Catalog } from './core/catalog.ts'
import { CatalogManager } from './catalog-manager.ts'
import { CatalogUpdater } from './catalog-updater.ts'
import { catalogKinds, type CatalogKind } from './core/catalog-source.ts'
import { Composites } from './composite/composites.ts'
import { compositeUses, type CompositeUse } from './composite/composite-uses.ts'
import { AggregateStates } from './composite/aggregate/aggregate-state.ts'
import { createCustomTool } from './custom-tool/create-custom-tool.ts'
import { DriftLog } from './drift/drift-log.ts'
import { DriftFiles } from './drift/drift-files.ts'
import { SnapshotStore } from './drift/snapshot-store.ts'
import { DriftWatch, type FirstLooks } from './drift/drift-watch.ts'
import { describeMembers } from './composite/describe-members.ts'
import { fetchResourceTool } from './fallback/fetch-resource.ts'
import { searchResourcesTool } from './fallback/search-resources.ts'
import { codeModeTool } from './mode/code-mode.ts'
import { Sandbox } from './mode/sandbox/sandbox.ts'
import { searchModeTools } from './mode/search-mode.ts'
import { OutputWatch } from './output-watch.ts'
import type { OwnServer } from './core/own-tool.ts'
import { OverrideRegistry } from './override/override-registry.ts'
import type { PinVerdict } from './pin/pin.ts'
import { Pins, type PinnedConnector } from './pin/pins.ts'
import { PinStore } from './pin/store.ts'
import { observer, renderIntended } from './drift/render-intended.ts'
import { OutputAdapter } from './schema/output-adapter.ts'
import { SchemaStatusStore } from './schema/store.ts'
import type { Scope } from './scope/scope.ts'
import { Scopes, type ServedSettings } from './scope/scopes.ts'
import { scopeLibrary } from './scope/scope-library.ts'
import type { Descriptor } from '../wire/index.ts'

export interface CatalogOptions extends Homes {
  readonly store: Store
  readonly events: Events
  readonly log: Log
  readonly watchdog: ProcessWatchdog
  readonly hiddenState: HiddenState
  redact(text: string): string
  /** Commands that are tools; their variables may hold secrets. */
  onCustomTools(tools: readonly CustomTool[]): void
  settingsOf(server: string): ServedSettings | undefined
  /** A team or session that is served under this name. */
  ownServer(server: string): OwnServer | undefined
}

/** What was approved, for those who look at one process or session of a server. */
interface Approvals {
  /** Why tools may not be called there, by their names. */
  compare(
    connector: PinnedConnector,
    tools: readonly Descriptor[],
    options: { readonly isShown: boolean },
  ): ReadonlyMap<string, string>
}

/** The catalog with everything that curates it. */
export interface OpenCatalog {
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly manager: CatalogManager
  readonly outputs: OutputWatch
  /** Clients get other lists than before. */
  readonly listsChanged: Signal<[kinds: readonly CatalogKind[]]>
  readonly metrics: readonly Metric[]
  /** Tools of a connector were approved. */
  readonly approved: Signal<[connectorId: string]>
  readonly approvals: Approvals
  /** A connector was removed: what was approved and overridden of it is forgotten. */
  forget(connectorId: string): void
  /** Compares from now on, after the first look at connectors, for which clients wait too. */
  watchDrift(firstLooks: FirstLooks): void
  /** Which connectors its aggregates and pipelines call. */
  compositeUses(): CompositeUse[]
  stop(): Promise<void>
}

/** Builds the catalog and reads what people want of it; connectors come in later. */
export async function openCatalog(options: CatalogOptions): Promise<OpenCatalog> {
  const { store, events, log, configHome, stateHome } = options
  const workspace = process.cwd()
  const listsChanged: OpenCatalog['listsChanged'] = new Signal()
  const catalogChanged = new Signal<[kinds: readonly CatalogKind[]]>()
  const hiddenChanged = new Signal()
  const approved = new Signal<[connectorId: string]>()
  const pins = new Pins({ store: new PinStore(store), events, log, onApproved: (id) => approved.tell(id) })
  const overrides = new OverrideRegistry({ db: store.db, events, log })
  const adapter = new OutputAdapter({ store: new SchemaStatusStore(store.db), events, log })
  const drift = new DriftLog({ store: new SnapshotStore(store), files: new DriftFiles(stateHome), log })
  const sandbox = new Sandbox()
  const catalog = new Catalog((kinds) => catalogChanged.tell(kinds), {
    check: ({ id, name, pinPolicy }, tools) => pins.check({ id, name, policy: pinPolicy }, tools).map(whyBlocked),
    adapt: ({ id }, tool) => adapter.adapt(id, tool).descriptor,
    onOverridden: (source, tools) => overrides.note(source, tools),
    onHiddenChange: () => hiddenChanged.tell(),
  })
  approved.listen((connectorId) => catalog.reconsider(connectorId))
  const modeTools = (mode: Mode, scope: Scope) =>
    mode === 'search' ? searchModeTools(() => scope) : [codeModeTool({ overview: scope, scope: () => scope, sandbox })]
  const scopesOf = (of: Catalog) =>
    new Scopes({
      catalog: of,
      settingsOf: options.settingsOf,
      ownServer: options.ownServer,
      modeTools,
      fallbacks(scopes) {
        const library = scopeLibrary(of, scopes)
        return [searchResourcesTool(library), fetchResourceTool(library)]
      },
    })
  const scopes = scopesOf(catalog)
  const updater = new CatalogUpdater({
    catalog,
    scopes,
    overrides,
    folders: { configHome, stateHome, workspace },
    states: new AggregateStates({
      stateHome,
      log,
      variables: { HERMA_CONFIG_HOME: configHome, HERMA_WORKSPACE: workspace },
    }),
    onCustomTools: (tools) => options.onCustomTools(tools),
    onViewsChanged: () => listsChanged.tell(catalogKinds),
    createCustomTool: (tool) =>
      createCustomTool(tool, { ...options, stateHome: join(stateHome, 'tool-files'), environment: process.env }),
    events,
    log,
  })
  const composites = new Composites({
    folders: { configHome, stateHome, workspace },
    events,
    merged: () => updater.merged,
    fragments: () => updater.fragments(),
    reload: () => updater.reload(),
    describeMember: describeMembers(catalog),
  })
  const intended = async () => {
    // Mostly every server offers what was approved, and then the catalog is as it should be.
    if (catalog.sources.every(({ id }) => pins.isAsApproved(id))) return scopes.for(observer)
    return renderIntended({
      sources: catalog.sources,
      rules: catalog.rules,
      adapt: ({ id }, tool) => adapter.adapt(id, tool).descriptor,
      approved: ({ id, descriptors }) => pins.approvedTools(id, descriptors.read('tools')),
      scopesOf: (of) => {
        const same = scopesOf(of)
        same.setViews(scopes.views)
        return same
      },
    })
  }
  const live = () => scopes.for(observer)
  const onCompared = () => events.touch('catalog')
  const watch = new DriftWatch({ driftLog: drift, intended, live, log, onCompared })
  catalogChanged.listen((kinds) => {
    listsChanged.tell(kinds)
    if (!kinds.includes('tools')) return
    updater.onCatalogChange()
    watch.onChange()
  })
  hiddenChanged.listen(() => updater.onCatalogChange())

  await Promise.all([pins.start(), overrides.start(), adapter.start(), drift.start()])
  await updater.start()
  return {
    catalog,
    scopes,
    manager: new CatalogManager({
      catalog,
      scopes,
      updater,
      composites,
      overrides,
      pins,
      adapter,
      drift,
      watch,
      intended,
    }),
    outputs: new OutputWatch(adapter, catalog),
    listsChanged,
    metrics: drift.metrics,
    approved,
    approvals: {
      compare: (connector, tools, comparing) =>
        new Map([...pins.compare(connector, tools, comparing)].map(([tool, reason]) => [tool, reasonTexts[reason]])),
    },
    forget(connectorId) {
      pins.forget(connectorId)
      overrides.forget(connectorId)
      adapter.forget(connectorId)
    },
    watchDrift: (firstLooks) => watch.start(firstLooks),
    compositeUses: () => compositeUses(updater.merged, catalog),
    async stop() {
      await watch.stop()
      await updater.stop()
      await sandbox.stop()
      await Promise.all([pins.stop(), overrides.stop(), adapter.stop(), drift.stop()])
    },
  }
}

const reasonTexts = {
  new: 'not approved so far',
  changed: 'changed since it was approved',
  duplicate: 'another tool of its server has the name',
  gone: 'its server does not offer it any more',
} as const

function whyBlocked({ state, reason }: PinVerdict): string | null {
  return state !== 'blocked' ? null : reasonTexts[reason ?? 'changed']
}
