import { fromJsonSchema, type JsonSchemaType, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { ErrorResult, PromptHandler, ToolHandler } from '../component/define.ts'
import type { Context } from '../context/context.ts'
import type { Schema } from '../schema/schema.ts'
import type { AnyPromptDefinition, AnyToolDefinition } from './declaration.ts'
import type { JsonSchema, GeneratedMethod } from './generated.ts'
import { dateComment, reviveArguments } from './revive-arguments.ts'

type Run = (...args: unknown[]) => unknown

/** A tool whose parameters were read from its source: arguments of clients become positional again. */
export function autoTool(entry: GeneratedMethod, given: AnyToolDefinition, run: Run) {
  const definition: AnyToolDefinition = {
    ...documented(entry, given),
    ...(entry.input && { input: schemaFromJson(entry.input, 'input') }),
    ...(entry.output && { output: schemaFromJson(entry.output, 'output') }),
  }
  const handler = async (args: unknown, context: Context) =>
    toOutput(entry, await run(...positional(entry, args, context)))
  return { definition, handler: handler as ToolHandler<Schema | undefined, Schema | undefined> }
}

/** A prompt whose parameters were read from its source; a choice of strings completes itself. */
export function autoPrompt(entry: GeneratedMethod, given: AnyPromptDefinition, run: Run) {
  const definition: AnyPromptDefinition = {
    ...documented(entry, given),
    ...(entry.input && { args: schemaFromJson(entry.input, 'input') }),
    complete: { ...choicesOf(entry.input), ...given.complete },
  }
  const handler = async (args: unknown, context: Context) => run(...positional(entry, args, context))
  return { definition, handler: handler as PromptHandler<Schema | undefined> }
}

/** The definition at the decorator has the last word over the JSDoc. */
function documented<Definition extends object>({ title, description }: GeneratedMethod, given: Definition): Definition {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }), ...given }
}

function positional(entry: GeneratedMethod, args: unknown, context: Context): unknown[] {
  const { input, parameters, hasRest, takesContext } = entry
  const values = (args ?? {}) as Readonly<Record<string, unknown>>
  const given = input === undefined ? [] : parameters === undefined ? [values] : parameters.map((name) => values[name])
  if (hasRest === true) given.push(...((given.pop() ?? []) as unknown[]))
  return takesContext === true ? [...given, context] : given
}

function toOutput({ output, isWrapped }: GeneratedMethod, value: unknown): unknown {
  if (output === undefined || isErrorResult(value)) return value
  // What is validated is what travels, and dates travel as text.
  const plain: unknown = hasDates(output) && value !== undefined ? JSON.parse(JSON.stringify(value)) : value
  if (isWrapped !== true) return plain
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain)
  return {
    structured: plain === undefined ? {} : { result: plain },
    content: text === undefined ? [] : [{ type: 'text', text }],
  }
}

function isErrorResult(value: unknown): value is ErrorResult {
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true
}

function choicesOf(input: JsonSchema | undefined): Record<string, readonly string[]> {
  const properties = Object.entries((input?.['properties'] ?? {}) as Record<string, JsonSchema>)
  return Object.fromEntries(
    properties.flatMap(([name, schema]) => (Array.isArray(schema['enum']) ? [[name, schema['enum'] as string[]]] : [])),
  )
}

/**
 * A Standard Schema of a generated JSON Schema. Of arguments (`input`) it also fills in defaults and makes dates of their
 * texts, because the method's types promise them.
 */
function schemaFromJson(json: JsonSchema, side: 'input' | 'output'): Schema {
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
function hasDates(json: JsonSchema): boolean {
  return JSON.stringify(json).includes(`"$comment":"${dateComment}"`)
}
