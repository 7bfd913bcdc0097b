import { isObject } from '../../wire/meta.ts'

type Json = Record<string, unknown>

const schemaFields = [
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
]
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const schemaMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs']
/** Words of OpenAPI that JSON Schema does not have. */
const foreign = new Set(['nullable', 'discriminator', 'xml', 'externalDocs', 'example', '$schema', '$id', '$anchor'])
const maxDepth = 64

/**
 * A schema object of OpenAPI as JSON Schema 2020-12; `rename` says where a reference leads from now on.
 * `isOld` stands for 3.0, which has words and meanings of its own: https://spec.openapis.org/oas/v3.0.4#schema-object
 */
export function toJsonSchema2020(
  schema: unknown,
  isOld: boolean,
  rename: (ref: string) => string,
  depth = 0,
): Json | boolean {
  if (typeof schema === 'boolean') return schema
  if (!isObject(schema)) return {}
  if (depth > maxDepth) throw new RangeError(`A schema is nested more than ${maxDepth} deep.`)
  const convert = (value: unknown) => toJsonSchema2020(value, isOld, rename, depth + 1)
  if (typeof schema['$ref'] === 'string') {
    const $ref = rename(schema['$ref'])
    // What stands beside a reference counts since 3.1 only.
    return isOld ? { $ref } : { ...convertFields(withoutRef(schema), convert), $ref }
  }
  const converted = convertFields(schema, convert)
  if (!isOld) return converted
  moveBound(converted, 'exclusiveMinimum', 'minimum')
  moveBound(converted, 'exclusiveMaximum', 'maximum')
  return schema['nullable'] === true ? orNull(converted) : converted
}

function convertFields(schema: Json, convert: (value: unknown) => Json | boolean): Json {
  const converted: Json = {}
  for (const [name, value] of Object.entries(schema)) {
    if (foreign.has(name) || name.startsWith('x-')) continue
    if (schemaFields.includes(name)) converted[name] = convert(value)
    else if (schemaLists.includes(name) && Array.isArray(value)) converted[name] = value.map(convert)
    else if (schemaMaps.includes(name) && isObject(value)) converted[name] = convertMap(value, convert)
    else converted[name] = value
  }
  const { example } = schema
  if (example !== undefined && converted['examples'] === undefined) converted['examples'] = [example]
  return converted
}

function convertMap(map: Json, convert: (value: unknown) => Json | boolean): Json {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, convert(value)]))
}

function withoutRef({ $ref: _, ...rest }: Json): Json {
  return rest
}

/** In 3.0 the exclusive bounds are flags beside the bounds. */
function moveBound(schema: Json, flag: string, bound: string): void {
  if (typeof schema[flag] !== 'boolean') return
  const isExclusive = schema[flag]
  delete schema[flag]
  if (!isExclusive || schema[bound] === undefined) return
  schema[flag] = schema[bound]
  delete schema[bound]
}

function orNull(schema: Json): Json {
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const { enum: values } = schema
  const withNull = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
  return { ...schema, ...withNull, type: [schema['type'], 'null'] }
}
