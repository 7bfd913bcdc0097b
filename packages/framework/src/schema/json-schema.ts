import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { Schema } from './schema.ts'

/** A JSON Schema as a schema of the framework. The type of its values is what you say it is: nothing checks that. */
export function jsonSchema<Value>(schema: object): Schema<Value> {
  return fromJsonSchema<Value>(schema)
}
