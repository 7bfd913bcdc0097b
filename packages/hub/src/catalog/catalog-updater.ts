import type { CustomTool, FragmentView, View } from '@herma/contract'
import type { Events } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { Catalog } from './core/catalog.ts'
import type { Composite } from './composite/aggregate/create-aggregate.ts'
import { createAggregate } from './composite/aggregate/create-aggregate.ts'
import type { AggregateStates } from './composite/aggregate/aggregate-state.ts'
import { createPipeline } from './composite/pipeline/create-pipeline.ts'
import { describeMembers } from './composite/describe-members.ts'
import {
  fragmentContent,
  FragmentWatcher,
  loadedWithoutFile,
  mergeFragments,
  readFragments,
  type FragmentFolders,
  type LoadedFragment,
  type MergedCatalog,
} from './fragment/index.ts'
import type { OverrideRegistry } from './override/override-registry.ts'
import type { OwnTool } from './core/own-tool.ts'
import type { Scopes } from './scope/scopes.ts'

interface SupervisorOptions {
  readonly catalog: Catalog
  readonly scopes: Scopes
  readonly overrides: OverrideRegistry
  readonly folders: FragmentFolders
  readonly states: AggregateStates
  createCustomTool(tool: CustomTool & { origin: string }): OwnTool
  /** These commands are tools from now on; their variables may hold secrets. */
  onCustomTools(tools: readonly CustomTool[]): void
  /** Clients may see other parts of the catalog from now on. */
  onViewsChanged(): void
  readonly events: Events
  readonly log: Log
}

/** Composites of composites follow their members level by level; those that contain each other never come to rest. */
const maxRounds = 8

/** Keeps the catalog as the files and the database want it: reads them, watches them, and makes the tools in them. */
export class CatalogUpdater {
  readonly #parts: SupervisorOptions
  readonly #watcher: FragmentWatcher
  #files: readonly LoadedFragment[] = []
  #merged: MergedCatalog = mergeFragments([]).catalog
  #views: FragmentView[] = []
  /** By their definitions, so that a reload does not give a command its turns anew. */
  #customTools = new Map<string, OwnTool>()
  #ownTools = ''
  #rounds = 0
  /** The views of each file as they were when it was last good. */
  #fileViews = new Map<string, View[]>()
  /** The views, and the rules that they may go by. */
  #viewed = '[[],[]]'
  #reading: Promise<void> = Promise.resolve()

  constructor(parts: SupervisorOptions) {
    this.#parts = parts
    this.#watcher = new FragmentWatcher({
      configHome: parts.folders.configHome,
      onChange: () => void this.reload(),
    })
    parts.overrides.onChange = () => this.#inTurn(() => this.#apply())
  }

  async start(): Promise<void> {
    await this.#watcher.start()
    await this.reload()
  }

  async stop(): Promise<void> {
    await this.#watcher.stop()
    await this.#reading
  }

  /** The layers of the catalog in the order in which they are merged. */
  fragments(): FragmentView[] {
    return this.#views
  }

  get merged(): MergedCatalog {
    return this.#merged
  }

  /** Reads the files again. Several at once wait for each other. */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#read())
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    const turn = this.#reading.then(run)
    // Whoever asked hears of a failure; the next one starts as if nothing had been.
    this.#reading = turn.catch(() => {})
    return turn
  }

  async #read(): Promise<void> {
    const { folders, log, events } = this.#parts
    try {
      this.#files = await readFragments(folders, this.#files)
      await this.#apply()
    } catch (error) {
      // What was read before stays in force, and the next change is read as if nothing had been.
      return log.error('the files of the catalog could not be read', { error })
    }
    for (const { file, isEnabled, errors } of this.#views) {
      const [first] = errors
      if (!isEnabled && first !== undefined)
        log.warn('a file takes no part in the catalog', { file, line: first.line, error: first.message })
    }
    events.emit('catalog.loaded', null, {
      files: this.#views.length,
      disabled: this.#views.filter(({ isEnabled }) => !isEnabled).map(({ file }) => file),
    })
  }

  async #apply(): Promise<void> {
    const { overrides, catalog, scopes } = this.#parts
    const layers = [...this.#keepViews(), loadedWithoutFile('database', overrides.toFragment())]
    const { catalog: merged, views } = mergeFragments(layers)
    this.#merged = merged
    this.#views = views.map((view, index) => ({ ...view, content: fragmentContent(layers[index]!) }))
    this.#parts.onCustomTools(merged.customTools)
    const prepared = await catalog.prepare({ ...merged, ownTools: [] })
    const ownTools = this.#createOwnTools()
    this.#ownTools = JSON.stringify(ownTools.map(({ descriptor }) => descriptor))
    // Together, so that no view is held against the tags of other rules.
    scopes.setViews(merged.views)
    catalog.configure({ overrides: merged.overrides, hidden: merged.hidden, ownTools }, prepared)
    const viewed = JSON.stringify([merged.views, merged.views.length === 0 ? [] : merged.overrides])
    if (viewed === this.#viewed) return
    this.#viewed = viewed
    this.#parts.onViewsChanged()
  }

  /**
   * The files, those that broke with the views that they had: a view often hides something, and a slip of the pen must
   * not show it.
   */
  #keepViews(): LoadedFragment[] {
    const before = this.#fileViews
    this.#fileViews = new Map()
    return this.#files.map((loaded) => {
      const { fragment, view } = loaded
      const views = fragment?.views ?? before.get(view.file) ?? []
      this.#fileViews.set(view.file, views)
      if (fragment !== null || views.length === 0) return loaded
      const kept = {
        line: null,
        column: null,
        path: 'views',
        message: 'Until it is mended, its views stay as they were.',
      }
      const empty = { hiddenTools: [], aggregations: [], pipelines: [] }
      return {
        ...loaded,
        view: { ...view, differences: [...view.differences, kept] },
        fragment: { schemaVersion: 1, ...empty, views },
      }
    })
  }

  /** What composites say of themselves follows from their members, which come and change. */
  onCatalogChange(): void {
    const { aggregations, pipelines } = this.#merged
    if (aggregations.length + pipelines.length === 0 || this.#rounds >= maxRounds) return
    const ownTools = this.#createOwnTools()
    const descriptors = JSON.stringify(ownTools.map(({ descriptor }) => descriptor))
    if (descriptors === this.#ownTools) return
    this.#ownTools = descriptors
    this.#rounds++
    try {
      // The catalog tells of this change, too, which leads here again.
      this.#parts.catalog.setOwnTools(ownTools)
    } finally {
      this.#rounds--
    }
  }

  #createOwnTools(): OwnTool[] {
    const { states } = this.#parts
    const describeMember = describeMembers(this.#parts.catalog)
    const known = this.#customTools
    this.#customTools = new Map()
    const customTools = this.#merged.customTools.map((tool) => {
      const key = JSON.stringify(tool)
      const own = known.get(key) ?? this.#parts.createCustomTool(tool)
      this.#customTools.set(key, own)
      return own
    })
    const composites = [
      ...this.#merged.aggregations.map((each) =>
        this.#try(each, () => createAggregate(each, { describeMember, states })),
      ),
      ...this.#merged.pipelines.map((each) => this.#try(each, () => createPipeline(each, { describeMember }))),
    ]
    return [...composites.filter((each) => each !== null), ...customTools]
  }

  /** One definition that cannot work leaves the others alone. Its notes and its fault are shown with its file. */
  #try({ name, origin }: { name: string; origin: string }, create: () => Composite): Composite | null {
    const view = this.#views.find(({ file }) => file === origin)
    const note = (message: string) => ({ line: null, column: null, path: name, message })
    const isNew = (notes: FragmentView['errors'], message: string) => !notes.some((each) => each.message === message)
    try {
      const composite = create()
      if (view !== undefined) {
        view.differences = view.differences.filter(({ path, line }) => path !== name || line !== null)
        view.differences.push(...composite.notes.map(note))
      }
      return composite
    } catch (error) {
      const { message } = error as Error
      if (view !== undefined && isNew(view.errors, message)) view.errors.push(note(message))
      return null
    }
  }
}
