import { Aggregation, Pipeline } from '@herma/contract'
import { expect, test } from 'vitest'
import type { Catalog } from '../core/catalog.ts'
import { compositeUses } from './composite-uses.ts'
import type { MergedAggregation, MergedPipeline } from '../fragment/merge-fragments.ts'

// Only the tool that is named without its server has to be looked up.
const catalog = {
  member: (_: unknown, tool: string) => (tool === 'notes__find' ? { source: { name: 'notes' } } : undefined),
} as unknown as Pick<Catalog, 'member'>

test('every connector that a composite calls is named once, however it is referred to', () => {
  const aggregation = Aggregation.parse({
    name: 'both',
    description: 'Reads or finds.',
    inputSchema: { type: 'object' },
    operations: [
      { value: 'read', downstreamServer: 'files', downstreamTool: 'read' },
      { value: 'write', downstreamServer: 'files', downstreamTool: 'write' },
      { value: 'find', downstreamTool: 'notes__find' },
      { value: 'gone', downstreamTool: 'nobody__here' },
    ],
  })
  const pipeline = Pipeline.parse({
    name: 'one-by-one',
    description: 'First this, then that.',
    inputSchema: { type: 'object' },
    steps: [{ id: 'a', server: 'web', tool: 'fetch' }, { parallel: [{ id: 'b', server: 'files', tool: 'write' }] }],
  })
  const merged = { aggregations: [aggregation as MergedAggregation], pipelines: [pipeline as MergedPipeline] }
  expect(compositeUses(merged, catalog)).toEqual([
    { name: 'both', connectors: new Set(['files', 'notes']) },
    { name: 'one-by-one', connectors: new Set(['web', 'files']) },
  ])
})
