import type { Aggregation, CompositeDefaults } from '@herma/contract'
import { found, type FoundProblem, notAnObject } from './found-problem.ts'
import { checkState } from './check-state.ts'
import type { JsonPath } from '../json/json-path.ts'
import { hasProperty, isObjectSchema } from './object-schema.ts'

export interface AggregationPlace {
  readonly path: JsonPath
  /** Of its fragment, complete. */
  readonly defaults: Required<CompositeDefaults>
  readonly stateHome: string
}

/** Finds what is wrong in one aggregate beyond its shape. */
export function checkAggregation(aggregation: Aggregation, place: AggregationPlace): FoundProblem[] {
  const { path, defaults, stateHome } = place
  const selector = aggregation.selector?.field ?? defaults.selectorField
  const isCaseFree = aggregation.selector?.caseInsensitive ?? defaults.caseInsensitiveSelector
  return [
    ...checkInputSchema(aggregation, selector, path),
    ...findAmbiguousOperations(aggregation, isCaseFree, path),
    ...checkState(aggregation, stateHome, [...path, 'state']),
  ]
}

function checkInputSchema({ inputSchema }: Aggregation, selector: string, path: JsonPath): FoundProblem[] {
  if (!isObjectSchema(inputSchema)) return [found([...path, 'inputSchema', 'type'], notAnObject)]
  if (hasProperty(inputSchema, selector)) return []
  const message = `The selector '${selector}' is no property of the schema, so no client could choose an operation.`
  return [found([...path, 'inputSchema'], message, true)]
}

function findAmbiguousOperations({ operations }: Aggregation, isCaseFree: boolean, path: JsonPath): FoundProblem[] {
  const problems: FoundProblem[] = []
  const owners = new Map<string, number>()
  for (const [index, { value, aliases = [] }] of operations.entries()) {
    const at = [...path, 'operations', index]
    const words: [JsonPath, string][] = [
      [[...at, 'value'], value],
      ...aliases.map((alias, order): [JsonPath, string] => [[...at, 'aliases', order], alias]),
    ]
    for (const [place, word] of words) {
      const key = isCaseFree ? word.toLowerCase() : word
      const owner = owners.get(key)
      if (owner === undefined) owners.set(key, index)
      else if (owner !== index) {
        const rule = isCaseFree ? ' (case does not count here)' : ''
        problems.push(found(place, `'${word}' already selects operations[${owner}]${rule}. Choose another word.`))
      }
    }
  }
  return problems
}
