import { findSchemaProblem } from './find-argument-problem.ts'
import type { JsonSchema } from './types.ts'

export type Structured = { readonly value: unknown } | { readonly problem: string }

/** The JSON of an answer, which models like to wrap into a code block, held against its schema. */
export function readStructured(text: string, schema: JsonSchema): Structured {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1]
  let value: unknown
  try {
    value = JSON.parse(fenced ?? text)
  } catch (error) {
    return { problem: `it is not JSON (${(error as Error).message})` }
  }
  const problem = findSchemaProblem(schema, value)
  return problem === null ? { value } : { problem }
}

/** For those who cannot be told otherwise, and those who are. */
export function withSchema(instructions: string, schema: JsonSchema | undefined): string {
  if (schema === undefined) return instructions
  const wish = `Your last message must be nothing but JSON that follows this JSON Schema:\n${JSON.stringify(schema)}`
  return instructions === '' ? wish : `${instructions}\n\n${wish}`
}
