import { fromJsonSchema, type JsonSchemaType, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { Schema } from '../schema/schema.ts'
import type { JsonSchema } from './generated.ts'
import { dateComment, reviveArguments } from './revive-arguments.ts'

/**
 * A Standard Schema of a generated JSON Schema. Of arguments (`input`) it also fills in defaults and makes dates of their
 * texts, because the method's types promise them.
 */
export function schemaFromJson(json: JsonSchema, side: 'input' | 'output'): Schema {
  // The validator is compiled when something is to be checked, so that a server with many tools starts at once.
  let check: Schema | undefined
  const needsRevival = side === 'input' && (hasDates(json) || JSON.stringify(json).includes('"default":'))
  const finish = (result: StandardSchemaV1.Result<unknown>) =>
    result.issues || !needsRevival ? result : reviveArguments(result.value, json)
  const validate = (value: unknown) => {
    check ??= fromJsonSchema(json as JsonSchemaType)
    const result = check['~standard'].validate(value)
    return result instanceof Promise ? result.then(finish) : finish(result)
  }
  return {
    '~standard': { version: 1, vendor: 'herma', validate, jsonSchema: { input: () => json, output: () => json } },
  }
}

/** Whether a value of this schema can contain a `Date`. */
export function hasDates(json: JsonSchema): boolean {
  return JSON.stringify(json).includes(`"$comment":"${dateComment}"`)
}
