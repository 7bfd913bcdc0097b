import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server'

/** Any Standard Schema that can write itself as JSON Schema: zod, arktype, valibot through its adapter, and others. */
export type Schema<Input = unknown, Output = Input> = StandardSchemaWithJSON<Input, Output>

/** What a handler gets: the value after defaults and transformations. */
export type Parsed<S> = S extends StandardSchemaWithJSON ? StandardSchemaWithJSON.InferOutput<S> : Record<string, never>

/** What a caller gives: the value before defaults and transformations. */
export type Given<S> = S extends StandardSchemaWithJSON ? StandardSchemaWithJSON.InferInput<S> : Record<string, never>

/** A JSON Schema as a schema of the framework. The type of its values is what you say it is: nothing checks that. */
export function jsonSchema<Value>(schema: object): Schema<Value> {
  return fromJsonSchema<Value>(schema)
}
