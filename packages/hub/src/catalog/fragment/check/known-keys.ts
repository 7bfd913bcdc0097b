import { z } from 'zod'
import type { JsonPath } from '../json/json-path.ts'

type Schema = z.core.$ZodType

/** The schema of the value at a path; of a union, the branch that knows most keys of the value. */
export function schemaAt(root: Schema, path: JsonPath, value: unknown): Schema | undefined {
  let schema: Schema | undefined = root
  let current = value
  for (const part of path) {
    schema = schema && stepInto(bestBranch(schema, current), part)
    current = (current as Record<string | number, unknown> | null | undefined)?.[part]
  }
  return schema && bestBranch(schema, current)
}

/** The keys that an object schema has. */
export function knownKeys(schema: Schema | undefined): string[] {
  const inner = schema && unwrap(schema)
  return inner instanceof z.core.$ZodObject ? Object.keys(inner._zod.def.shape) : []
}

/** The branches of a union, or none. */
export function branchesOf(schema: Schema | undefined): readonly Schema[] {
  const inner = schema && unwrap(schema)
  return inner instanceof z.core.$ZodUnion ? inner._zod.def.options : []
}

/** The branch of a union that knows most keys of a value: what its author most likely meant. */
export function bestBranch(schema: Schema, value: unknown): Schema {
  const branches = branchesOf(schema)
  if (branches.length === 0) return unwrap(schema)
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : []
  const score = (branch: Schema) => {
    const known = new Set(knownKeys(branch))
    return keys.filter((key) => known.has(key)).length + (fitsDiscriminator(branch, value) ? 100 : 0)
  }
  return unwrap(branches.reduce((best, branch) => (score(branch) > score(best) ? branch : best)))
}

function fitsDiscriminator(branch: Schema, value: unknown): boolean {
  const inner = unwrap(branch)
  if (!(inner instanceof z.core.$ZodObject) || typeof value !== 'object' || value === null) return false
  return Object.entries(inner._zod.def.shape).some(
    ([key, field]) =>
      field instanceof z.core.$ZodLiteral &&
      field._zod.def.values.includes((value as Record<string, z.core.util.Literal>)[key]),
  )
}

function stepInto(schema: Schema, part: string | number): Schema | undefined {
  if (schema instanceof z.core.$ZodObject) return schema._zod.def.shape[part]
  if (schema instanceof z.core.$ZodArray) return schema._zod.def.element
  if (schema instanceof z.core.$ZodRecord) return schema._zod.def.valueType
  return undefined
}

function unwrap(schema: Schema): Schema {
  let inner = schema
  for (;;) {
    if (
      inner instanceof z.core.$ZodOptional ||
      inner instanceof z.core.$ZodNullable ||
      inner instanceof z.core.$ZodDefault
    ) {
      inner = inner._zod.def.innerType
    } else if (inner instanceof z.core.$ZodLazy) inner = inner._zod.innerType
    else return inner
  }
}
