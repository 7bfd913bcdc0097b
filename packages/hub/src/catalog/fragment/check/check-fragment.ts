import { isGlob, type CatalogFragment } from '@herma/contract'
import { checkAggregation } from './check-aggregation.ts'
import { checkPipeline } from './check-pipeline.ts'
import { compositeDefaults } from '../embedded-defaults.ts'
import { findRepeatedNames, found, type FoundProblem, notAnObject } from './found-problem.ts'
import { isObjectSchema } from './object-schema.ts'

/** Finds what a schema cannot see: names that are given twice, and references that lead nowhere. */
export function checkFragment(fragment: CatalogFragment, stateHome: string): FoundProblem[] {
  const { aggregations, pipelines, views } = fragment
  const defaults = { ...compositeDefaults, ...fragment.defaults }
  // Aggregates and pipelines are both tools, so they share their names.
  const toolNames = new Map<string, string>()
  return [
    ...findRepeatedNames(aggregations, 'aggregations', toolNames),
    ...findRepeatedNames(pipelines, 'pipelines', toolNames),
    ...findRepeatedNames(views, 'views'),
    ...checkOverrides(fragment),
    ...aggregations.flatMap((aggregation, index) =>
      checkAggregation(aggregation, { path: ['aggregations', index], defaults, stateHome }),
    ),
    ...pipelines.flatMap((pipeline, index) => checkPipeline(pipeline, ['pipelines', index])),
  ]
}

/** Also told to whoever does it by hand. */
export const nameForMany =
  'A name is for one tool. Name the server and the tool without * and ?, or leave the name out.'

function checkOverrides({ toolOverrides }: CatalogFragment): FoundProblem[] {
  return Object.entries(toolOverrides?.servers ?? {}).flatMap(([server, { tools }]) =>
    Object.entries(tools).flatMap(([tool, { inputSchema, name }]) => {
      const path = ['toolOverrides', 'servers', server, 'tools', tool]
      return [
        ...(inputSchema === undefined || isObjectSchema(inputSchema)
          ? []
          : [found([...path, 'inputSchema', 'type'], notAnObject)]),
        ...(name !== undefined && (isGlob(server) || isGlob(tool)) ? [found([...path, 'name'], nameForMany)] : []),
      ]
    }),
  )
}
