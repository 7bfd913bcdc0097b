import type { Aggregation, CustomTool, FileNote, FragmentView, HiddenTool, Pipeline, View } from '@herma/contract'
import { compositeDefaults } from './embedded-defaults.ts'
import { maxNotes, sortNotes } from './check/file-notes.ts'
import type { JsonPath } from './json/json-path.ts'
import { type LoadedFragment, noteWithoutLine } from './loaded-fragment.ts'
import { type LayeredOverride, overrideRules } from './override-rules.ts'

/** Where something comes from: a file, `(defaults)` or `(database)`. */
export interface Origin {
  readonly origin: string
}

/** An aggregate with everything filled in that its file has defaults for. */
export type MergedAggregation = Aggregation &
  Origin & { selector: { field: string; caseInsensitive: boolean }; timeoutSeconds: number }

export type MergedPipeline = Pipeline & Origin & { timeoutSeconds: number }

export interface MergedCatalog {
  /** In the order in which they apply. */
  readonly overrides: readonly LayeredOverride[]
  readonly hidden: readonly (HiddenTool & Origin)[]
  readonly aggregations: readonly MergedAggregation[]
  readonly pipelines: readonly MergedPipeline[]
  readonly views: readonly (View & Origin)[]
  readonly customTools: readonly (CustomTool & Origin)[]
}

export interface MergedFragments {
  readonly catalog: MergedCatalog
  /** The views of the layers, with a note where one replaces something of another. */
  readonly views: FragmentView[]
}

/**
 * Lays fragments over each other: overrides add up in order, and an aggregate, pipeline, custom tool or view replaces
 * the earlier one of its name.
 */
export function mergeFragments(layers: readonly LoadedFragment[]): MergedFragments {
  const merger = new Merger()
  const views = layers.map((loaded, layer) => merger.add(loaded, layer))
  return { catalog: merger.catalog(), views }
}

class Merger {
  /** Everything that becomes a tool shares one set of names. */
  readonly #tools = new Map<string, NamedTool>()
  readonly #views = new Map<string, View & Origin>()
  readonly #overrides: LayeredOverride[][] = []
  readonly #hides: (HiddenTool & Origin)[][] = []

  /** Returns the view of the layer, with what it replaces. */
  add(loaded: LoadedFragment, layer: number): FragmentView {
    const { view, fragment } = loaded
    const origin = view.file
    const notes: FileNote[] = []
    const put = <T extends Origin>(map: Map<string, T>, name: string, entry: Placed<T>) => {
      const replaced = map.get(name)
      if (replaced !== undefined) {
        const message = `It replaces the ${entry.what} '${name}' of ${replaced.origin}.`
        notes.push((notes.length < maxNotes ? loaded.note : noteWithoutLine)(entry.path, message))
      }
      map.set(name, entry.value)
    }
    for (const [tool, path] of toolsOf(loaded)) {
      const what = toolWords[this.#tools.get(tool.tool.name)?.kind ?? tool.kind]
      put(this.#tools, tool.tool.name, { value: tool, path, what })
    }
    for (const [index, each] of (fragment?.views ?? []).entries()) {
      put(this.#views, each.name, { value: { ...each, origin }, path: ['views', index], what: 'view' })
    }
    if (fragment?.toolOverrides !== undefined)
      this.#overrides.push(overrideRules(fragment.toolOverrides, origin, layer))
    this.#hides.push((fragment?.hiddenTools ?? []).map((each) => ({ ...each, origin })))
    return notes.length === 0 ? view : { ...view, differences: sortNotes([...view.differences, ...notes]) }
  }

  catalog(): MergedCatalog {
    const tools = [...this.#tools.values()]
    const aggregations = tools.flatMap((each) => (each.kind === 'aggregation' ? [each.tool] : []))
    return {
      overrides: this.#overrides.flat(),
      hidden: joinHides([...this.#hides.flat(), ...aggregations.flatMap(hidesOf)]),
      aggregations,
      pipelines: tools.flatMap((each) => (each.kind === 'pipeline' ? [each.tool] : [])),
      views: [...this.#views.values()],
      customTools: tools.flatMap((each) => (each.kind === 'customTool' ? [each.tool] : [])),
    }
  }
}

/** Everything of a layer that becomes a tool, with the defaults of its file filled in. */
function toolsOf({ view, fragment, customTools }: LoadedFragment): [NamedTool, JsonPath][] {
  const origin = view.file
  const defaults = { ...compositeDefaults, ...fragment?.defaults }
  return [
    ...(fragment?.aggregations ?? []).map((aggregation, index): [NamedTool, JsonPath] => {
      const { selector, timeoutSeconds = defaults.timeoutSeconds } = aggregation
      const field = selector?.field ?? defaults.selectorField
      const caseInsensitive = selector?.caseInsensitive ?? defaults.caseInsensitiveSelector
      const tool = { ...aggregation, selector: { field, caseInsensitive }, timeoutSeconds, origin }
      return [{ kind: 'aggregation', tool, origin }, ['aggregations', index]]
    }),
    ...(fragment?.pipelines ?? []).map((pipeline, index): [NamedTool, JsonPath] => {
      const { timeoutSeconds = defaults.timeoutSeconds } = pipeline
      return [{ kind: 'pipeline', tool: { ...pipeline, timeoutSeconds, origin }, origin }, ['pipelines', index]]
    }),
    ...customTools.map((tool, index): [NamedTool, JsonPath] => [
      { kind: 'customTool', tool: { ...tool, origin }, origin },
      ['tools', index],
    ]),
  ]
}

interface Placed<T> {
  readonly value: T
  readonly path: JsonPath
  /** What is replaced, in a word. */
  readonly what: string
}

type NamedTool = Origin &
  (
    | { readonly kind: 'aggregation'; readonly tool: MergedAggregation }
    | { readonly kind: 'pipeline'; readonly tool: MergedPipeline }
    | { readonly kind: 'customTool'; readonly tool: CustomTool & Origin }
  )

const toolWords = { aggregation: 'aggregate', pipeline: 'pipeline', customTool: 'custom tool' }

function hidesOf({ hideTools = [], origin }: MergedAggregation): (HiddenTool & Origin)[] {
  return hideTools.map((each) => ({ ...each, origin }))
}

/** A tool is hidden once, with the first reason that was given. */
function joinHides(hides: readonly (HiddenTool & Origin)[]): (HiddenTool & Origin)[] {
  const joined = new Map<string, HiddenTool & Origin>()
  for (const hide of hides) {
    const key = JSON.stringify([hide.server, hide.tool])
    const earlier = joined.get(key)
    if (earlier === undefined || (earlier.reason === undefined && hide.reason !== undefined)) joined.set(key, hide)
  }
  return [...joined.values()]
}
