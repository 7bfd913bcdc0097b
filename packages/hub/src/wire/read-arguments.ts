import { HubError } from '@herma/contract/plain'
import type { z } from 'zod'

/** The arguments of a tool by its schema. Throws INVALID_PARAMS that names the fields that are wrong. */
export function readArguments<T>(schema: z.ZodType<T>, args: Readonly<Record<string, unknown>>, tool: string): T {
  const parsed = schema.safeParse(args)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.slice(0, 5)
  const problems = issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  throw new HubError('INVALID_PARAMS', `${tool} cannot be called like this. ${problems.join('; ')}`)
}
