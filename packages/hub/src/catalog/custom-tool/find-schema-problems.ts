import { isObject } from '../../wire/index.ts'
import { isOfType, typeOf } from '../schema/json-type.ts'

const maxProblems = 10

/**
 * Says what is wrong with a value by the first level of a JSON Schema: type, required, enum, const and unknown names.
 * What lies deeper is left to the command, which has to look at it anyway.
 */
export function findSchemaProblems(schema: Readonly<Record<string, unknown>>, value: unknown): string[] {
  const mismatch = describeMismatch(schema, value)
  if (mismatch !== undefined) return [`the value ${mismatch}`]
  if (!isObject(value)) return []
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const isClosed = schema['additionalProperties'] === false && schema['patternProperties'] === undefined
  const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(value, name))
  const problems = missing.map((name) => `'${name}' is missing`)
  for (const [name, entry] of Object.entries(value)) {
    const wrong = Object.hasOwn(properties, name)
      ? describeMismatch(properties[name], entry)
      : isClosed && `is not known; there ${list(Object.keys(properties))}`
    if (wrong) problems.push(`'${name.slice(0, 100)}' ${wrong}`)
  }
  return problems.length <= maxProblems
    ? problems
    : [...problems.slice(0, maxProblems), `and ${problems.length - maxProblems} more`]
}

function describeMismatch(schema: unknown, value: unknown): string | undefined {
  if (schema === false) return 'is not allowed'
  if (!isObject(schema)) return undefined
  const types = [schema['type']].flat().filter((type) => typeof type === 'string')
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return `must be of type ${types.join(' or ')} and is ${typeOf(value)}`
  }
  const choices = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(choices)) return undefined
  // Two equal objects may be written in different orders, so only simple values are compared.
  if (choices.some((choice) => choice === value || typeof choice === 'object')) return undefined
  return `must be one of ${JSON.stringify(choices).slice(1, -1).slice(0, 300)}`
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'are none'
  return `${names.length === 1 ? 'is' : 'are'} ${names.join(', ').slice(0, 300)}`
}
