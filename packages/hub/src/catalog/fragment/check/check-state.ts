import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Aggregation, AggregationState, StateOperation, ValueSource } from '@herma/contract'
import { found, type FoundProblem } from './found-problem.ts'
import type { JsonPath } from '../json/json-path.ts'
import { didYouMean } from './nearest-name.ts'

/** Finds what is wrong in the state of an aggregate: where it is kept, whom it is about, and what it reads. */
export function checkState({ state, operations }: Aggregation, stateHome: string, path: JsonPath): FoundProblem[] {
  if (state === undefined) return []
  const problem = statePathProblem(state.path, stateHome)
  const values = operations.map(({ value }) => value)
  return [
    ...(problem === undefined ? [] : [found([...path, 'path'], problem)]),
    ...checkStateOperations(state.operations, values, path),
    ...findUnknownKeys(state, path),
  ]
}

/** What the hub itself keeps in the state home; a state file must not take its place. */
const hubFiles = new Set([
  'hub.json',
  'key',
  'lock',
  'postgres',
  'postgres.log',
  'postgres-binaries',
  'intended_catalog.json',
  'live_catalog.json',
  'live_catalog_drift.log',
])

function statePathProblem(path: string, stateHome: string): string | undefined {
  const inside = relative(stateHome, resolve(stateHome, path))
  const first = inside.split(sep)[0] ?? ''
  if (first === '..' || isAbsolute(inside)) {
    return 'The file leaves the state home. Write a path inside it, such as {{HERMA_STATE_HOME}}/shell.json.'
  }
  if (inside === '') return 'This is the state home itself. Name a file inside it, such as shell.json.'
  if (hubFiles.has(first)) return `'${first}' in the state home belongs to the hub. Choose another name.`
  return undefined
}

function checkStateOperations(operations: readonly StateOperation[], values: string[], path: JsonPath): FoundProblem[] {
  const seen = new Map<string, number>()
  return operations.flatMap(({ value }, index) => {
    const place = [...path, 'operations', index, 'value']
    const earlier = seen.get(value)
    if (earlier !== undefined) return [found(place, `state.operations[${earlier}] is already about '${value}'.`)]
    seen.set(value, index)
    if (values.includes(value)) return []
    return [found(place, `No operation of the aggregate has the value '${value}'.${didYouMean(value, values)}`, true)]
  })
}

/** A key that is read but never written would always be empty: most likely it is mistyped. */
function findUnknownKeys(state: AggregationState, path: JsonPath): FoundProblem[] {
  const mutations = state.operations.flatMap((operation) => operation.mutations ?? [])
  const known = new Set([
    ...Object.keys(state.fields ?? {}),
    ...Object.keys(state.defaults ?? {}),
    ...mutations.map(({ key }) => key),
  ])
  return state.operations
    .flatMap((operation, index) => readKeys(operation, [...path, 'operations', index]))
    .filter(({ key }) => !known.has(key))
    .map(({ key, place }) =>
      found(
        place,
        `The state has no '${key}': it is no field, has no default and is never set.${didYouMean(key, known)}`,
        true,
      ),
    )
}

interface KeyUse {
  readonly key: string
  readonly place: JsonPath
}

function readKeys({ preloadArguments = [], mutations = [], response }: StateOperation, path: JsonPath): KeyUse[] {
  return [
    ...preloadArguments.map(({ stateKey }, index) => ({
      key: stateKey,
      place: [...path, 'preloadArguments', index, 'stateKey'],
    })),
    ...mutations.flatMap((mutation, index) => {
      const at = [...path, 'mutations', index]
      if (mutation.action === 'set') return sourceKeys(mutation.source, [...at, 'source'])
      return Object.entries(mutation.value).flatMap(([name, source]) => sourceKeys(source, [...at, 'value', name]))
    }),
    ...(response === undefined ? [] : [{ key: response.key, place: [...path, 'response', 'key'] }]),
  ]
}

function sourceKeys(source: ValueSource, path: JsonPath): KeyUse[] {
  return source.type === 'state' ? [{ key: source.key, place: [...path, 'key'] }] : []
}
