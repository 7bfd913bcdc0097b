import { isObject } from './meta.ts'

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const primitiveTypes: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Where a schema holds other schemas, besides `properties`. A mirrored parameter may be behind none of them. */
const nestedSchemas = [
  'items',
  'additionalItems',
  'contains',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]
const nestedLists = ['oneOf', 'anyOf', 'allOf', 'prefixItems', 'items']
const nestedMaps = ['patternProperties', '$defs', 'definitions', 'dependentSchemas']
const maxDepth = 64

/**
 * Says what is wrong with the `x-mcp-header` annotations of an input schema. A client of Streamable HTTP must leave such
 * a tool out: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension
 */
export function paramHeaderProblem(schema: unknown): string | undefined {
  const names = new Set<string>()
  return problemIn(schema, { path: [], isReachable: true, names })
}

interface Place {
  readonly path: readonly string[]
  /** False behind anything but a chain of `properties`. */
  readonly isReachable: boolean
  readonly names: Set<string>
}

function problemIn(schema: unknown, place: Place): string | undefined {
  if (!isObject(schema) || place.path.length > maxDepth) return undefined
  const own = 'x-mcp-header' in schema ? problemOf(schema, place) : undefined
  if (own !== undefined) return `${place.path.join('.') || 'the schema'}: ${own}`
  const { properties } = schema
  for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
    const problem = problemIn(property, { ...place, path: [...place.path, key] })
    if (problem !== undefined) return problem
  }
  for (const [key, nested] of nestedOf(schema)) {
    const problem = problemIn(nested, { ...place, isReachable: false, path: [...place.path, key] })
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemOf(schema: Record<string, unknown>, { path, isReachable, names }: Place): string | undefined {
  const name = schema['x-mcp-header']
  if (!isReachable || path.length === 0) return 'x-mcp-header may only stand on a property that the root leads to'
  if (typeof name !== 'string' || !token.test(name)) return 'x-mcp-header is not the name of a header'
  if (!primitiveTypes.has(schema['type'])) return 'x-mcp-header needs the type string, integer or boolean'
  if (names.has(name.toLowerCase())) return `x-mcp-header ${name} is there twice`
  names.add(name.toLowerCase())
  return undefined
}

function* nestedOf(schema: Record<string, unknown>): Iterable<[string, unknown]> {
  for (const key of nestedSchemas) yield [key, schema[key]]
  for (const key of nestedLists) {
    const list = schema[key]
    if (Array.isArray(list)) for (const entry of list) yield [key, entry]
  }
  for (const key of nestedMaps) {
    const map = schema[key]
    if (isObject(map)) for (const entry of Object.values(map)) yield [key, entry]
  }
}
