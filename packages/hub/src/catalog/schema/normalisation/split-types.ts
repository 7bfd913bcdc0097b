import type { Schema } from './normalise-schema.ts'
import type { ChangeList } from './schema-change.ts'
import { isKnownType, isOfType } from '../json-type.ts'

const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

/** Words that mean something for one type only, and move with it. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: numberKeywords,
  integer: numberKeywords,
  array: [
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'additionalItems',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ],
}

/** A list of types as a choice between schemas of one type each, which strict clients can read. */
export function splitTypes(schema: Schema, path: string, changes: ChangeList): Schema {
  const { type } = schema
  if (!Array.isArray(type)) return schema
  const types = type as string[]
  const moved = new Set(types.flatMap((name) => keywordsOf[name] ?? []))
  const branches = types.flatMap((name) => toBranch(schema, name))
  const kept = Object.entries(schema).filter(([key]) => key !== 'type' && !moved.has(key))
  const { enum: values, const: value, ...rest } = Object.fromEntries(kept)
  changes.add(`${path}.type`, `${JSON.stringify(type)} became anyOf`)
  // No type fits any value, so that nothing was accepted; the values still tell a model what was meant.
  if (branches.length === 0) return { ...rest, ...(values === undefined ? { const: value } : { enum: values }) }
  if (branches.length === 1) return { ...rest, ...branches[0] }
  if (rest['anyOf'] === undefined) return { ...rest, anyOf: branches }
  const allOf = (rest['allOf'] as unknown[] | undefined) ?? []
  return { ...rest, allOf: [...allOf, { anyOf: branches }] }
}

/** Nothing when the values that the schema names are all of other types. */
function toBranch(schema: Schema, type: string): Schema[] {
  const branch: Schema = { type }
  for (const key of keywordsOf[type] ?? []) if (key in schema) branch[key] = schema[key]
  if (Array.isArray(schema['enum'])) {
    const values = (schema['enum'] as unknown[]).filter((value) => isKnownType(type) && isOfType(value, type))
    if (values.length === 0) return []
    if (type !== 'null') branch['enum'] = values
  }
  if ('const' in schema) {
    if (!isKnownType(type) || !isOfType(schema['const'], type)) return []
    if (type !== 'null') branch['const'] = schema['const']
  }
  return [branch]
}
