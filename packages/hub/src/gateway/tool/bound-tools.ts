import { HubError } from '@herma/contract'
import { readEntry, type Catalog, type ShapedTool } from '../../catalog/index.ts'
import type { Downstream } from '../../downstream/index.ts'
import { canonicalText, type Descriptor } from '../../wire/index.ts'

/** A tool as a session may find it at a connector. */
export interface BoundTool {
  /** Its name at the server. */
  readonly name: string
  readonly descriptor: Descriptor
  /** Why it may not be called; null when it may. */
  readonly blockedBecause: string | null
}

interface BoundPlace {
  readonly downstream: Downstream
  readonly catalog: Catalog
  /** True when everybody uses the same downstream, whose tools the catalog knows. */
  readonly isShared: boolean
}

/** The tools of a bound connector; what people say about a tool holds here too, but for its name. */
export function listBoundTools({ downstream, catalog, isShared }: BoundPlace): BoundTool[] {
  const shaped = catalog.toolsOf(downstream.id)
  if (isShared) return shaped.map(toBound)
  const known = new Map(shaped.map((tool) => [tool.original, tool]))
  const approved = approvedOf(downstream, catalog)
  return downstream.descriptors.read('tools').map((descriptor) => {
    const name = String(descriptor['name'])
    const blockedBecause = known.get(name)?.blockedBecause ?? approved(name, descriptor)
    return { name, descriptor, blockedBecause }
  })
}

export function findBoundTool(place: BoundPlace, name: string): BoundTool {
  const shaped = place.isShared ? place.catalog.toolsOf(place.downstream.id) : []
  const direct = shaped.find(({ original }) => original === name)
  const tool = direct === undefined ? listBoundTools(place).find((each) => each.name === name) : toBound(direct)
  const server = place.downstream.name
  if (tool === undefined)
    throw new HubError('TOOL_NOT_FOUND', `'${server}' has no tool ${JSON.stringify(name)}. See: herma tools ${server}`)
  if (tool.blockedBecause === null) return tool
  const text = `'${name}' of '${server}' is blocked: ${tool.blockedBecause}. See: herma catalog review ${server} ${name}`
  throw new HubError('FORBIDDEN', text)
}

function toBound(tool: ShapedTool): BoundTool {
  const { original: name, blockedBecause } = tool
  return { name, descriptor: { ...readEntry(tool), name }, blockedBecause }
}

/** Approvals are given to the connector: with other settings its server must offer the same, where that matters. */
function approvedOf(downstream: Downstream, catalog: Catalog): (name: string, descriptor: Descriptor) => string | null {
  if (downstream.connector.options.pinning !== 'block') return () => null
  const source = catalog.sources.find(({ id }) => id === downstream.id)
  const approved = new Map(source?.descriptors.read('tools').map((tool) => [tool['name'], tool]))
  return (name, descriptor) =>
    canonicalText(approved.get(name)) === canonicalText(descriptor)
      ? null
      : 'it is not as it was approved for the connector'
}
