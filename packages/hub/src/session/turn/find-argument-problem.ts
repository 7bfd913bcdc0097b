import { z } from 'zod'
import type { JsonSchema } from './types.ts'

/** Says in words for the model how arguments contradict the schema of their tool; null when they do not. */
export function findArgumentProblem(
  tool: { readonly name: string; readonly inputSchema: JsonSchema },
  call: { readonly arguments: Record<string, unknown> },
): string | null {
  const problem = findSchemaProblem(tool.inputSchema, call.arguments)
  return problem === null ? null : `The arguments of '${tool.name}' are wrong: ${problem}. Call it again.`
}

/** The first contradictions; null when there are none. */
export function findSchemaProblem(schema: JsonSchema, value: unknown): string | null {
  const check = compile(schema)
  const issues = check?.safeParse(value).error?.issues ?? []
  if (issues.length === 0) return null
  return issues
    .slice(0, maxIssues)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ')
}

const maxIssues = 5

/** Tools live longer than turns, so each schema is read once. */
const compiled = new WeakMap<JsonSchema, z.ZodType | null>()

function compile(schema: JsonSchema): z.ZodType | null {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  let check: z.ZodType | null
  try {
    check = z.fromJSONSchema(schema)
  } catch {
    // A schema with words that zod does not know is left to the tool, which checks its arguments itself.
    check = null
  }
  compiled.set(schema, check)
  return check
}
