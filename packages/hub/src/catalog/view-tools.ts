import type { CatalogTool, OverrideState } from '@herma/contract'
import type { Descriptor } from '../wire/index.ts'
import type { Catalog } from './core/catalog.ts'
import { rulesFor, type AppliedRules } from './core/catalog-rules.ts'
import type { CatalogSource } from './core/catalog-source.ts'
import type { OverrideRegistry } from './override/override-registry.ts'
import type { Pins } from './pin/pins.ts'
import { readEntry, type ShapedTool } from './core/shaped-entry.ts'

interface Around {
  readonly catalog: Pick<Catalog, 'rules'>
  readonly pins: Pick<Pins, 'list'>
  readonly overrides: Pick<OverrideRegistry, 'statesOf'>
}

/** The one that most needs a look comes first. */
const stateOrder: readonly OverrideState[] = ['conflicting', 'obsolete', 'kept']

/** Tools as people see them in the list of all there are. */
export function viewTools(tools: readonly ShapedTool[], { catalog, pins, overrides }: Around): CatalogTool[] {
  const pinStates = new Map(pins.list().map((pin) => [`${pin.connectorId}\n${pin.tool}`, pin.state]))
  const rules = new Map<string, (tool: string) => AppliedRules>()
  const originals = new Map<string, ReadonlyMap<string, Descriptor>>()
  const appliedTo = ({ source, original }: ShapedTool): AppliedRules => {
    const known = rules.get(source.name) ?? rulesFor(catalog.rules, source.name)
    rules.set(source.name, known)
    return known(original)
  }
  const originalOf = ({ source, original, own }: ShapedTool): Descriptor | undefined => {
    if (own !== null) return own.descriptor
    const known = originals.get(source.id) ?? descriptorsOf(source)
    originals.set(source.id, known)
    return known.get(original)
  }
  const stateOf = (tool: ShapedTool): OverrideState | null => {
    const states = Object.values(overrides.statesOf(tool.source.id, originalOf(tool) ?? { name: tool.original }))
    return stateOrder.find((state) => states.some((each) => each.state === state)) ?? null
  }
  return tools.map((tool) => {
    const overridden = Object.keys(appliedTo(tool).override)
    return {
      name: tool.name,
      connector: tool.source.name,
      originalName: tool.original,
      description: String(readEntry(tool)['description'] ?? ''),
      hiddenBecause: tool.hiddenBecause,
      pin: pinStates.get(`${tool.source.id}\n${tool.original}`) ?? null,
      tags: [...tool.tags],
      tokens: tool.tokens,
      overridden,
      overrideState: overridden.length === 0 ? null : stateOf(tool),
    }
  })
}

function descriptorsOf({ descriptors }: CatalogSource): ReadonlyMap<string, Descriptor> {
  return new Map(descriptors.read('tools').map((descriptor) => [String(descriptor['name']), descriptor]))
}
