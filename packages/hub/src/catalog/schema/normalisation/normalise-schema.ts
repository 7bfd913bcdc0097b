import { isObject } from '../../../wire/index.ts'
import { joinPath } from '../../pin/diff-descriptor.ts'
import { flattenRoot } from './flatten-root.ts'
import { mendKeywords } from './mend-keywords.ts'
import { resolvePointer } from './resolve-pointer.ts'
import type { ChangeList } from './schema-change.ts'
import { splitTypes } from './split-types.ts'

export type Schema = Record<string, unknown>

export interface NormaliseOptions {
  /** What the paths of changes begin with. */
  readonly root: string
  readonly changes: ChangeList
  /** The whole need not describe an object. */
  readonly isAnyRoot?: boolean
}

/** References within references that are followed. */
const maxReferences = 8
const maxDepth = 64
/** A schema of a few lines can name itself a million times over when all references are followed. */
const maxNodes = 5000

/**
 * A schema in the form that strict clients take: an object at the root, no lists of types, no references, no words of
 * older drafts or of OpenAPI. What it accepts stays the same where it can, and otherwise becomes more, never less: the
 * server checks for itself. A schema that is in this form already comes back as it is, the same object.
 */
export function normaliseSchema(schema: unknown, { root, changes, isAnyRoot = false }: NormaliseOptions): unknown {
  if (!isObject(schema)) {
    changes.add(root, schema === undefined ? 'added: there was none' : 'replaced: it was not a schema')
    return { type: 'object' }
  }
  const result = new SchemaWalk(schema, changes).visit(schema, { path: root, depth: 0, references: ['#'] })
  return isAnyRoot ? splitTypes(result, root, changes) : flattenRoot(result, root, changes)
}

interface Place {
  readonly path: string
  readonly depth: number
  /** Those that led here. */
  readonly references: readonly string[]
}

const schemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const schemaMaps = ['properties', 'patternProperties', 'dependentSchemas'] as const
const singles = ['items', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'] as const
/** Here true and false are what everybody writes. */
const schemasOrFlags = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems'] as const
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
  '$id',
])

class SchemaWalk {
  readonly #root: Schema
  readonly #changes: ChangeList
  #nodes = 0

  constructor(root: Schema, changes: ChangeList) {
    this.#root = root
    this.#changes = changes
  }

  visit(schema: Schema, place: Place): Schema {
    if (++this.#nodes > maxNodes || place.depth > maxDepth) {
      this.#changes.add(place.path, 'cut: the schema is too large')
      return {}
    }
    if (typeof schema['$ref'] === 'string') return this.#follow(schema, schema['$ref'], place)
    const mended = mendKeywords(schema, place.path, this.#changes)
    const children: Schema = {}
    for (const key of singles) if (key in mended) children[key] = this.#child(mended[key], inside(place, key))
    for (const key of schemasOrFlags) {
      const value = mended[key]
      if (value !== undefined && typeof value !== 'boolean') children[key] = this.#child(value, inside(place, key))
    }
    for (const key of schemaMaps) if (isObject(mended[key])) children[key] = this.#map(mended[key], inside(place, key))
    for (const key of schemaLists) {
      if (Array.isArray(mended[key])) children[key] = this.#list(mended[key] as unknown[], inside(place, key))
    }
    const isSame = Object.entries(children).every(([key, child]) => child === mended[key])
    const result = isSame ? mended : this.#keepWide(mended, children, place.path)
    return place.depth === 0 ? result : splitTypes(result, place.path, this.#changes)
  }

  /** What was cut accepts more than before. Where that would make the whole accept less, the condition goes. */
  #keepWide(schema: Schema, children: Schema, path: string): Schema {
    const result = { ...schema, ...children }
    const isChanged = (key: string) => key in children && children[key] !== schema[key]
    const dropped = [...(isChanged('not') ? ['not'] : []), ...(isChanged('if') ? ['if', 'then', 'else'] : [])]
    for (const key of dropped.filter((name) => name in result)) {
      delete result[key]
      this.#changes.add(joinPath(path, key), 'removed: it could not be kept as strict as it was')
    }
    if (isChanged('oneOf') && result['anyOf'] === undefined) {
      result['anyOf'] = result['oneOf']
      delete result['oneOf']
      this.#changes.add(joinPath(path, 'oneOf'), 'became anyOf')
    }
    return result
  }

  #child(schema: unknown, place: Place): Schema {
    if (isObject(schema)) return this.visit(schema, place)
    this.#changes.add(place.path, schema === false ? 'false became {"not":{}}' : `${describe(schema)} became {}`)
    return schema === false ? { not: {} } : {}
  }

  #map(schemas: Schema, place: Place): Schema {
    const entries = Object.entries(schemas).map(
      ([key, child]) => [key, this.#child(child, inside(place, key))] as const,
    )
    return entries.every(([key, child]) => child === schemas[key]) ? schemas : Object.fromEntries(entries)
  }

  #list(schemas: readonly unknown[], { path, ...place }: Place): readonly unknown[] {
    const list = schemas.map((child, index) => this.#child(child, { ...place, path: `${path}[${index}]` }))
    return list.every((child, index) => child === schemas[index]) ? schemas : list
  }

  #follow(schema: Schema, reference: string, place: Place): Schema {
    const { $ref: _, $defs: __, definitions: ___, ...rest } = schema
    const beside = Object.keys(rest).length === 0 ? {} : this.visit(rest, { ...place, depth: place.depth + 1 })
    const target = resolvePointer(this.#root, reference)
    const problem = problemOf(reference, target, place.references)
    if (problem !== null) {
      this.#changes.add(place.path, `the reference ${reference} was cut: ${problem}`)
      return beside
    }
    this.#changes.add(place.path, `the reference ${reference} was replaced by what it points at`)
    const references = [...place.references, reference]
    const found = isObject(target) ? target : {}
    const resolved = this.visit(found, { path: place.path, depth: place.depth, references })
    if (Object.keys(beside).every((key) => annotations.has(key))) return { ...resolved, ...beside }
    return { allOf: [resolved, beside] }
  }
}

function problemOf(reference: string, target: unknown, followed: readonly string[]): string | null {
  if (!reference.startsWith('#')) return 'it leads out of the schema'
  if (followed.includes(reference)) return 'it refers to itself'
  if (followed.length > maxReferences) return `more than ${maxReferences} lie within each other`
  return isObject(target) || target === true ? null : 'it points at nothing'
}

function inside({ path, depth, references }: Place, key: string): Place {
  return { path: joinPath(path, key), depth: depth + 1, references }
}

function describe(schema: unknown): string {
  return schema === true ? 'true' : `what is not a schema (${schema === null ? 'null' : typeof schema})`
}
