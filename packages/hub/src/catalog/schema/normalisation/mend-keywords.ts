import { isObject } from '../../../wire/index.ts'
import type { Schema } from './normalise-schema.ts'
import type { ChangeList } from './schema-change.ts'

/** Mends what stands at one level of a schema; those within it are not looked at. The same object when all is well. */
export function mendKeywords(schema: Schema, path: string, changes: ChangeList): Schema {
  const draft = new Draft(schema, path, changes)
  mendType(draft)
  mendNullable(draft)
  mendBound(draft, 'exclusiveMinimum', 'minimum')
  mendBound(draft, 'exclusiveMaximum', 'maximum')
  mendLists(draft)
  mendProperties(draft)
  mendItems(draft)
  for (const key of ['$defs', 'definitions']) draft.remove(key, 'removed: nothing refers to it any more')
  for (const key of ['$dynamicRef', '$recursiveRef']) draft.remove(key, 'removed: it cannot be followed')
  return draft.schema
}

/** A schema that is copied when it is first changed. */
class Draft {
  schema: Schema
  readonly #given: Schema
  readonly #path: string
  readonly #changes: ChangeList

  constructor(given: Schema, path: string, changes: ChangeList) {
    this.schema = given
    this.#given = given
    this.#path = path
    this.#changes = changes
  }

  get(key: string): unknown {
    return Object.hasOwn(this.schema, key) ? this.schema[key] : undefined
  }

  set(key: string, value: unknown, what: string): void {
    this.#own()[key] = value
    this.#changes.add(`${this.#path}.${key}`, what)
  }

  remove(key: string, what: string): void {
    if (this.get(key) === undefined) return
    delete this.#own()[key]
    this.#changes.add(`${this.#path}.${key}`, what)
  }

  #own(): Schema {
    if (this.schema === this.#given) this.schema = { ...this.#given }
    return this.schema
  }
}

const types = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])
/** What people write who think of another language. */
const typeAliases: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  list: 'array',
}

function mendType(draft: Draft): void {
  const type = draft.get('type')
  if (type === undefined || (typeof type === 'string' && types.has(type))) return
  const given: readonly unknown[] = Array.isArray(type) ? type : [type]
  const named = given.flatMap((name) => (typeof name === 'string' ? [toTypeName(name)] : []))
  const valid = [...new Set(named)].filter((name) => types.has(name))
  // A list that holds a type nobody knows accepts what no list of known types would.
  const isKnown = valid.length > 0 && named.every((name) => types.has(name)) && named.length === given.length
  if (!isKnown) return draft.remove('type', `removed: ${JSON.stringify(type)} is no type`)
  if (valid.length === 1) return draft.set('type', valid[0], `${JSON.stringify(type)} became "${valid[0]}"`)
  if (Array.isArray(type) && valid.every((name, index) => name === type[index]) && valid.length === type.length) return
  draft.set('type', valid, `${JSON.stringify(type)} became ${JSON.stringify(valid)}`)
}

function toTypeName(name: string): string {
  const lower = name.toLowerCase()
  return Object.hasOwn(typeAliases, lower) ? typeAliases[lower]! : lower
}

/** OpenAPI 3.0: https://spec.openapis.org/oas/v3.0.3#schema-object */
function mendNullable(draft: Draft): void {
  const nullable = draft.get('nullable')
  if (typeof nullable !== 'boolean') return
  draft.remove('nullable', 'removed: it is a word of OpenAPI')
  if (!nullable) return
  const [type, anyOf] = [draft.get('type'), draft.get('anyOf')]
  if (type !== undefined) {
    const list: readonly unknown[] = Array.isArray(type) ? type : [type]
    if (!list.includes('null')) draft.set('type', [...list, 'null'], 'null was added: it was nullable')
    const values = draft.get('enum')
    if (Array.isArray(values) && !values.includes(null)) {
      draft.set('enum', [...(values as unknown[]), null], 'null was added: it was nullable')
    }
  } else if (Array.isArray(anyOf)) {
    draft.set('anyOf', [...(anyOf as unknown[]), { type: 'null' }], 'null was added: it was nullable')
  }
}

/** In draft 4 it says how the limit is meant: https://json-schema.org/draft-06/json-schema-release-notes */
function mendBound(draft: Draft, exclusive: string, inclusive: string): void {
  const flag = draft.get(exclusive)
  if (typeof flag !== 'boolean') return
  const limit = draft.get(inclusive)
  if (!flag || typeof limit !== 'number') return draft.remove(exclusive, 'removed: it is not a number')
  draft.set(exclusive, limit, `true became ${limit}`)
  draft.remove(inclusive, `moved to ${exclusive}`)
}

function mendLists(draft: Draft): void {
  const required = draft.get('required')
  if (Array.isArray(required)) {
    const names = [...new Set(required.filter((name) => typeof name === 'string'))]
    if (names.length < required.length) draft.set('required', names, 'what is no name or stands twice was removed')
  } else {
    draft.remove('required', 'removed: it is not a list of names')
  }
  for (const key of ['enum', 'anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = draft.get(key)
    if (!Array.isArray(list) || list.length === 0) draft.remove(key, 'removed: it is not a list with entries')
  }
}

function mendProperties(draft: Draft): void {
  const properties = draft.get('properties')
  if (properties === undefined) return
  if (!isObject(properties)) return draft.remove('properties', 'removed: it is not an object')
  // Draft 3 says at the property itself that it is required.
  const marked = Object.entries(properties).filter(([, child]) => isObject(child) && child['required'] === true)
  const known = (draft.get('required') ?? []) as string[]
  const missing = marked.map(([name]) => name).filter((name) => !known.includes(name))
  if (missing.length > 0)
    draft.set('required', [...known, ...missing], `${missing.join(', ')} came from the properties`)
  const hasKind = ['type', 'anyOf', 'oneOf', 'allOf'].some((key) => draft.get(key) !== undefined)
  if (!hasKind) draft.set('type', 'object', 'added: it has properties')
}

function mendItems(draft: Draft): void {
  const items = draft.get('items')
  if (Array.isArray(items)) {
    const [only, ...others] = items as unknown[]
    const merged = others.length === 0 ? (only ?? {}) : { anyOf: items }
    draft.remove('additionalItems', 'removed: it belongs to a list of schemas')
    return draft.set('items', merged, 'a list of schemas became one for all entries')
  }
  const type = draft.get('type')
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'))
  if (isList && items === undefined) draft.set('items', {}, 'added: some clients refuse a list without')
}
