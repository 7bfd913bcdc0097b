import type { StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { JsonSchema } from './generated.ts'

/** In a generated schema, what JSON has no type for: the text that travels is a `Date` in the handler. */
export const dateComment = 'Date'

/** Arguments that are valid for a generated schema, as the method's types have them: with defaults, and with dates. */
export function reviveArguments(value: unknown, root: JsonSchema): StandardSchemaV1.Result<unknown> {
  const issues: StandardSchemaV1.Issue[] = []
  const revivePart = (part: unknown, schema: JsonSchema, path: readonly PropertyKey[]): unknown => {
    if (typeof schema['$ref'] === 'string') return revivePart(part, resolve(root, schema['$ref']), path)
    if (Array.isArray(schema['anyOf'])) {
      const branch = (schema['anyOf'] as JsonSchema[]).find((candidate) => fits(part, candidate, root))
      return branch === undefined ? part : revivePart(part, branch, path)
    }
    if (schema['$comment'] === dateComment && typeof part === 'string') {
      const date = new Date(part)
      if (Number.isNaN(date.getTime())) issues.push({ message: `'${part}' is no point in time.`, path })
      return date
    }
    if (Array.isArray(part)) {
      return part.map((item, index) => revivePart(item, itemSchema(schema, index), [...path, index]))
    }
    if (typeof part !== 'object' || part === null) return part
    return reviveObject(part, schema, (item, itsSchema, key) => revivePart(item, itsSchema, [...path, key]))
  }
  const result = revivePart(value, root, [])
  return issues.length > 0 ? { issues } : { value: result }
}

function reviveObject(
  value: object,
  schema: JsonSchema,
  reviveItem: (item: unknown, schema: JsonSchema, key: string) => unknown,
): object {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
  const others =
    typeof schema['additionalProperties'] === 'object' ? (schema['additionalProperties'] as JsonSchema) : {}
  const defaults = Object.entries(properties).filter(
    ([key, { default: d }]) => d !== undefined && !Object.hasOwn(value, key),
  )
  const entries = [
    ...Object.entries(value),
    ...defaults.map(([key, { default: d }]) => [key, structuredClone(d)] as const),
  ]
  // fromEntries defines what it is given, so that a key like __proto__ stays a plain key.
  return Object.fromEntries(
    entries.map(([key, item]) => [
      key,
      reviveItem(item, Object.hasOwn(properties, key) ? (properties[key] ?? {}) : others, key),
    ]),
  )
}

function itemSchema(schema: JsonSchema, index: number): JsonSchema {
  const first = (schema['prefixItems'] ?? []) as readonly JsonSchema[]
  return first[index] ?? (typeof schema['items'] === 'object' ? (schema['items'] as JsonSchema) : {})
}

function resolve(root: JsonSchema, reference: string): JsonSchema {
  const definitions = (root['$defs'] ?? {}) as Readonly<Record<string, JsonSchema>>
  return definitions[reference.slice('#/$defs/'.length)] ?? {}
}

/** Whether a valid value can be of this branch: what tells the members of a union apart in TypeScript is enough. */
function fits(value: unknown, schema: JsonSchema, root: JsonSchema): boolean {
  if (typeof schema['$ref'] === 'string') return fits(value, resolve(root, schema['$ref']), root)
  if ('const' in schema) return schema['const'] === value
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value)
  if (Array.isArray(schema['anyOf'])) return (schema['anyOf'] as JsonSchema[]).some((one) => fits(value, one, root))
  if (schema['type'] !== undefined && schema['type'] !== typeOf(value)) return false
  if (typeOf(value) !== 'object') return true
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>)
  const fields = value as Readonly<Record<string, unknown>>
  return (
    required.every((key) => Object.hasOwn(fields, key)) &&
    properties.every(([key, property]) => !Object.hasOwn(fields, key) || fits(fields[key], property, root))
  )
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
