import { ConfigError } from '../protocol/errors.ts'
import { isObject } from '../wire/meta.ts'
import type { Schema } from './schema.ts'

/** A schema as JSON Schema, as callers give the value (`input`) or as it comes out (`output`). */
export function toJsonSchema(schema: Schema, side: 'input' | 'output', where: string): Record<string, unknown> {
  const standard = (schema as { '~standard'?: Schema['~standard'] })['~standard']
  if (typeof standard?.jsonSchema?.[side] !== 'function') {
    throw new ConfigError(
      `The schema of ${where} cannot write itself as JSON Schema.`,
      'Use zod 4.2 or later, arktype 2.1.28 or later, or valibot with toStandardJsonSchema from @valibot/to-json-schema.',
    )
  }
  try {
    const written = standard.jsonSchema[side]({ target: 'draft-2020-12' })
    // Libraries name the dialect that is MCP's default anyway, once for each tool; what an author wrote stays as it is.
    if (standard.vendor === 'mcp') return written
    const { $schema: _, ...rest } = written
    return rest
  } catch (error) {
    throw new ConfigError(
      `The schema of ${where} cannot be written as JSON Schema: ${(error as Error).message}.`,
      'Use types that JSON has, and describe transformed values with a schema for each side.',
    )
  }
}

/** The same, for what must be an object: arguments. */
export function toObjectSchema(
  schema: Schema | undefined,
  where: string,
): Record<string, unknown> & { type: 'object' } {
  if (schema === undefined) return { type: 'object', properties: {}, additionalProperties: false }
  const written = toJsonSchema(schema, 'input', where)
  const isUnion = Array.isArray(written['anyOf']) || Array.isArray(written['oneOf']) || Array.isArray(written['allOf'])
  if (written['type'] !== 'object' && !isUnion) {
    throw new ConfigError(`The input of ${where} must be an object schema.`, 'Wrap it, for example in z.object({ … }).')
  }
  return { ...written, type: 'object' }
}

export function propertiesOf(schema: Record<string, unknown>): [string, Record<string, unknown>][] {
  const { properties } = schema
  return isObject(properties)
    ? Object.entries(properties).map(([name, value]) => [name, isObject(value) ? value : {}])
    : []
}
