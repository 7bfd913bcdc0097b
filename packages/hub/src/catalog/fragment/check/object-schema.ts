import { isObject } from '../../../wire/index.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Tells whether a schema is one of objects; one that does not say its type is made so when it is offered. */
export function isObjectSchema(schema: JsonSchema): boolean {
  return schema['type'] === undefined || schema['type'] === 'object'
}

/** Tells whether a dotted path can be a property; what is said by reference or combination gets the benefit of doubt. */
export function hasProperty(schema: JsonSchema, path: string): boolean {
  let current = schema
  for (const part of path.split('.')) {
    if (['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties'].some((key) => key in current)) return true
    const properties = current['properties']
    const next = isObject(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined
    if (next === undefined) return false
    if (!isObject(next)) return true
    current = next
  }
  return true
}
