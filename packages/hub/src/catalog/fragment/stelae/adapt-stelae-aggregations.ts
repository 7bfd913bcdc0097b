import { ExposedName } from '@herma/contract'
import { isObject } from '../../../wire/index.ts'
import { alternativeName } from '../../core/exposed-name.ts'
import { compositeDefaults } from '../embedded-defaults.ts'
import type { Draft, StelaeDraft } from './stelae-draft.ts'

/** Rewrites Stelae's aggregates in place: what it tolerates and Herma does not is set right, with a note. */
export function adaptStelaeAggregations(fragment: Draft, draft: StelaeDraft): void {
  const { aggregations } = fragment
  if (!Array.isArray(aggregations)) return
  const defaults = isObject(fragment['defaults']) ? fragment['defaults'] : {}
  const taken = new Set(objectsOf(aggregations).map((entry) => entry['name']))
  for (const entry of objectsOf(aggregations)) {
    const name = entry['name']
    if (typeof name === 'string' && name.trim() !== '' && !ExposedName.safeParse(name).success) {
      const legal = alternativeName('', name.trim(), (each) => taken.has(each))
      taken.add(legal)
      entry['name'] = legal
      draft.note(entry, 'name', `Not every client takes the name '${name}'; it becomes '${legal}'.`)
    }
    adaptAggregation(entry, { ...compositeDefaults, ...defaults }, draft)
  }
  const lastOf = lastIndices(aggregations, 'name')
  draft.keepEntries(aggregations, (entry, index) => {
    const name = isObject(entry) ? entry['name'] : undefined
    if (typeof name !== 'string' || lastOf.get(name) === index) return undefined
    return `A later aggregate is named '${name}' too; this one is left out, as in Stelae.`
  })
}

function adaptAggregation(entry: Draft, defaults: Draft, draft: StelaeDraft): void {
  for (const key of ['server', 'serverName'])
    draft.leaveOut(entry, key, "It is left out: aggregates have the server 'herma'.")
  for (const key of ['proxyURL', 'proxyUrl']) draft.leaveOut(entry, key, 'It is left out: Herma calls servers itself.')
  const selector = isObject(entry['selector']) ? entry['selector'] : {}
  const field = selector['field'] ?? defaults['selectorField']
  const isCaseFree = (selector['caseInsensitive'] ?? defaults['caseInsensitiveSelector']) === true
  if (typeof field === 'string') adaptInputSchema(entry, field, draft)
  draft.renameOwnServers(entry['hideTools'])
  if (Array.isArray(entry['operations'])) adaptOperations(entry['operations'], isCaseFree, draft)
  const state = entry['state']
  if (isObject(state) && Array.isArray(state['operations'])) {
    const operations: unknown[] = state['operations']
    const lastOf = lastIndices(operations, 'value')
    draft.keepEntries(operations, (operation, index) =>
      isObject(operation) && typeof operation['value'] === 'string' && lastOf.get(operation['value']) !== index
        ? 'A later entry is about the same operation; this one is left out, as in Stelae.'
        : undefined,
    )
  }
}

function adaptInputSchema(entry: Draft, selectorField: string, draft: StelaeDraft): void {
  const isMissing = entry['inputSchema'] === undefined
  const schema = (entry['inputSchema'] ??= { type: 'object' })
  const first = selectorField.split('.')[0] ?? selectorField
  if (!isObject(schema) || ['$ref', 'allOf', 'anyOf', 'oneOf'].some((key) => key in schema)) return
  const properties = (schema['properties'] ??= {})
  if (!isObject(properties) || first in properties) return
  properties[first] = first === selectorField ? { type: 'string' } : { type: 'object' }
  const message = isMissing
    ? `'inputSchema' is missing; one with the selector '${first}' is made.`
    : `The selector '${first}' is no property of the schema; it is added.`
  draft.note(entry, 'inputSchema', message)
}

/** Stelae calls the first operation that fits, so another one of the same name is never reached. */
function adaptOperations(operations: unknown[], isCaseFree: boolean, draft: StelaeDraft): void {
  const fold = (word: string) => (isCaseFree ? word.toLowerCase() : word)
  const taken = new Set<string>()
  for (const operation of objectsOf(operations)) trimNames(operation, draft)
  draft.keepEntries(operations, (operation) => {
    if (!isObject(operation) || typeof operation['value'] !== 'string') return undefined
    const { value, aliases } = operation
    if (taken.has(fold(value))) return `An earlier operation answers to '${value}'; this one is left out, as in Stelae.`
    taken.add(fold(value))
    if (!Array.isArray(aliases)) return undefined
    draft.keepEntries(aliases as unknown[], (alias) => {
      if (typeof alias !== 'string') return undefined
      const isTaken = taken.has(fold(alias)) && fold(alias) !== fold(value)
      taken.add(fold(alias))
      return isTaken ? `An earlier operation answers to '${alias}'; the alias is left out, as in Stelae.` : undefined
    })
    return undefined
  })
}

function trimNames(operation: Draft, draft: StelaeDraft): void {
  for (const key of ['value', 'downstreamTool', 'downstreamServer']) {
    if (typeof operation[key] === 'string') operation[key] = operation[key].trim()
  }
  if (Array.isArray(operation['aliases'])) {
    const aliases: unknown[] = operation['aliases']
    for (const [index, alias] of aliases.entries()) if (typeof alias === 'string') aliases[index] = alias.trim()
  }
  const server = operation['downstreamServer']
  if (typeof server !== 'string' || !draft.ownServers.has(server)) return
  draft.leaveOut(operation, 'downstreamServer', `'${server}' is left out: a tool of Herma's own is found by its name.`)
}

function objectsOf(list: readonly unknown[]): Draft[] {
  return list.filter(isObject)
}

function lastIndices(list: readonly unknown[], key: string): Map<unknown, number> {
  return new Map(list.map((entry, index) => [isObject(entry) ? entry[key] : undefined, index]))
}
