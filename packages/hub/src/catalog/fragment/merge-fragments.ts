import type { Aggregation, CustomTool, FileNote, FragmentView, HiddenTool, Pipeline, View } from '@herma/contract'
import { compositeDefaults } from './embedded-defaults.ts'
import { maxNotes, sortNotes } from './file-notes.ts'
import type { JsonPath } from './json-path.ts'
import { type LoadedFragment, noteWithoutLine } from './loaded-fragment.ts'
import { type OverrideRule, overrideRules } from './override-rules.ts'

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
  readonly overrides: readonly OverrideRule[]
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
  // Everything that becomes a tool shares one set of names.
  const tools = new Map<string, NamedTool>()
  const views = new Map<string, View & Origin>()
  const overrides: OverrideRule[] = []
  const hides: (HiddenTool & Origin)[] = []
  const fragmentViews = layers.map((loaded, layer) => {
    const { view, fragment, customTools } = loaded
    const origin = view.file
    const notes: FileNote[] = []
    const put = <T extends Origin>(map: Map<string, T>, name: string, entry: Placed<T>) => {
      const replaced = map.get(name)
      if (replaced !== undefined) {
        const message = `It replaces the ${entry.what} '${name}' of ${replaced.origin}.`
        // Finding a line takes a look through the file, and nobody reads more notes than that.
        notes.push((notes.length < maxNotes ? loaded.note : noteWithoutLine)(entry.path, message))
      }
      map.set(name, entry.value)
    }
    const putTool = (value: NamedTool, path: JsonPath) =>
      put(tools, value.tool.name, { value, path, what: toolWords[tools.get(value.tool.name)?.kind ?? value.kind] })

    const defaults = { ...compositeDefaults, ...fragment?.defaults }
    if (fragment?.toolOverrides !== undefined) overrides.push(...overrideRules(fragment.toolOverrides, origin, layer))
    hides.push(...(fragment?.hiddenTools ?? []).map((each) => ({ ...each, origin })))
    for (const [index, aggregation] of (fragment?.aggregations ?? []).entries()) {
      const { selector, timeoutSeconds = defaults.timeoutSeconds } = aggregation
      const field = selector?.field ?? defaults.selectorField
      const caseInsensitive = selector?.caseInsensitive ?? defaults.caseInsensitiveSelector
      const tool = { ...aggregation, selector: { field, caseInsensitive }, timeoutSeconds, origin }
      putTool({ kind: 'aggregation', tool, origin }, ['aggregations', index])
    }
    for (const [index, pipeline] of (fragment?.pipelines ?? []).entries()) {
      const tool = { ...pipeline, timeoutSeconds: pipeline.timeoutSeconds ?? defaults.timeoutSeconds, origin }
      putTool({ kind: 'pipeline', tool, origin }, ['pipelines', index])
    }
    for (const [index, tool] of customTools.entries()) {
      putTool({ kind: 'customTool', tool: { ...tool, origin }, origin }, ['tools', index])
    }
    for (const [index, each] of (fragment?.views ?? []).entries()) {
      put(views, each.name, { value: { ...each, origin }, path: ['views', index], what: 'view' })
    }
    return notes.length === 0 ? view : { ...view, differences: sortNotes([...view.differences, ...notes]) }
  })

  const all = [...tools.values()]
  const aggregations = all.flatMap((each) => (each.kind === 'aggregation' ? [each.tool] : []))
  const catalog: MergedCatalog = {
    overrides,
    hidden: joinHides([...hides, ...aggregations.flatMap(hidesOf)]),
    aggregations,
    pipelines: all.flatMap((each) => (each.kind === 'pipeline' ? [each.tool] : [])),
    views: [...views.values()],
    customTools: all.flatMap((each) => (each.kind === 'customTool' ? [each.tool] : [])),
  }
  return { catalog, views: fragmentViews }
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
