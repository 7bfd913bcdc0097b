import type { Catalog } from '../core/catalog.ts'
import { callsOf } from './pipeline/pipeline-problems.ts'
import type { MergedCatalog } from '../fragment/merge-fragments.ts'
import type { ToolReference } from '../core/own-tool.ts'

/** A composite and the connectors that it calls, by name. */
export interface CompositeUse {
  readonly name: string
  readonly connectors: ReadonlySet<string>
}

/** Which connectors the aggregates and pipelines of the catalog call. */
export function compositeUses(
  { aggregations, pipelines }: Pick<MergedCatalog, 'aggregations' | 'pipelines'>,
  catalog: Pick<Catalog, 'member'>,
): CompositeUse[] {
  const ownerOf = ({ server, tool }: ToolReference) => server ?? catalog.member(undefined, tool)?.source.name ?? []
  return [
    ...aggregations.map(({ name, operations }) => ({
      name,
      calls: operations.map(({ downstreamServer: server, downstreamTool: tool }) => ({ server, tool })),
    })),
    ...pipelines.map(({ name, steps }) => ({ name, calls: steps.flatMap(callsOf) })),
  ].map(({ name, calls }) => ({ name, connectors: new Set(calls.flatMap(ownerOf)) }))
}
