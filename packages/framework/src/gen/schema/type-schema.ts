import type { ts } from '@ts-morph/common'
import type { JsonSchema } from '../../decorator/generated.ts'
import { dateComment } from '../../decorator/revive-arguments.ts'
import type { Sources } from '../source/compiler.ts'
import { objectSchema } from './object-schema.ts'
import { Problem } from '../source/problem.ts'
import { orderMembers } from './union-order.ts'

/** One schema in the making: the types that it is inside of, and those that it refers to by name. */
export interface SchemaRun extends Sources {
  readonly open: Map<ts.Type, { readonly name: string; isUsed: boolean }>
  readonly definitions: Map<string, JsonSchema>
}

/** Types refer to themselves by name, so that only a type that grows without end gets this deep. */
const maxDepth = 40

/** The JSON Schema of a type. `place` is where it is used: problems are told there. */
export function typeSchema(type: ts.Type, place: ts.Node, run: SchemaRun): JsonSchema {
  const simple = simpleSchema(type, place, run)
  if (simple !== undefined) return simple
  const again = run.open.get(type)
  if (again !== undefined) {
    again.isUsed = true
    return { $ref: `#/$defs/${again.name}` }
  }
  if (run.open.size >= maxDepth) {
    throw new Problem(place, `'${run.checker.typeToString(type)}' is nested without an end.`, 'Use a type that ends.')
  }
  const entry = { name: nameOf(type, run), isUsed: false }
  run.open.set(type, entry)
  const schema = type.isUnion() ? unionSchema(type, place, run) : objectSchema(type, place, run)
  run.open.delete(type)
  if (!entry.isUsed) return schema
  run.definitions.set(entry.name, schema)
  return { $ref: `#/$defs/${entry.name}` }
}

/** Begins a schema, and ends it with the definitions that it refers to. */
export function rootSchema(sources: Sources, make: (run: SchemaRun) => JsonSchema): JsonSchema {
  const run: SchemaRun = { ...sources, open: new Map(), definitions: new Map() }
  const schema = withoutReference(make(run), run)
  return run.definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(run.definitions) }
}

/** A root is never a mere reference: clients look for its `type` and `properties`. */
export function withoutReference({ $ref, ...schema }: JsonSchema, { definitions }: SchemaRun): JsonSchema {
  return typeof $ref === 'string' ? { ...definitions.get($ref.slice('#/$defs/'.length)), ...schema } : schema
}

function simpleSchema(type: ts.Type, place: ts.Node, run: SchemaRun): JsonSchema | undefined {
  const { ts, checker } = run
  const is = (flags: ts.TypeFlags) => (type.flags & flags) !== 0
  const text = checker.typeToString(type)
  if (is(ts.TypeFlags.Any)) {
    // The compiler's own mark for a type that it could not find; public API tells it by no other means.
    if ((type as { intrinsicName?: string }).intrinsicName !== 'error') return {}
    throw new Problem(place, 'Its type cannot be found.', 'Check its name and import; `npx tsc --noEmit` tells more.')
  }
  if (is(ts.TypeFlags.Unknown)) return {}
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
  if (is(ts.TypeFlags.BooleanLiteral)) return { const: text === 'true' }
  if (is(ts.TypeFlags.Boolean)) return { type: 'boolean' }
  if (is(ts.TypeFlags.Null)) return { type: 'null' }
  if (is(ts.TypeFlags.String)) return { type: 'string' }
  if (is(ts.TypeFlags.Number) || (is(ts.TypeFlags.Enum) && !type.isUnion())) return { type: 'number' }
  if (is(ts.TypeFlags.TemplateLiteral))
    return { type: 'string', pattern: templatePattern(type as ts.TemplateLiteralType, run) }
  if (is(ts.TypeFlags.NonPrimitive)) return { type: 'object' }
  if (is(ts.TypeFlags.TypeParameter | ts.TypeFlags.IndexedAccess | ts.TypeFlags.Conditional | ts.TypeFlags.Index)) {
    throw new Problem(
      place,
      `'${text}' depends on a type parameter, which clients cannot give.`,
      'Write a concrete type.',
    )
  }
  if (is(ts.TypeFlags.BigIntLike)) {
    throw new Problem(place, 'JSON has no bigint.', 'Use a number, or a string with @pattern ^-?\\d+$.')
  }
  if (is(ts.TypeFlags.Object | ts.TypeFlags.Union | ts.TypeFlags.Intersection)) return undefined
  throw new Problem(place, `'${text}' cannot be written as JSON.`, 'Use a type that JSON has.')
}

function unionSchema(type: ts.UnionType, place: ts.Node, run: SchemaRun): JsonSchema {
  const { ts } = run
  const absent = ts.TypeFlags.Undefined | ts.TypeFlags.Void
  const members = orderMembers(type, place, run).filter((member) => (member.flags & absent) === 0)
  const schemas = members.map((member) => typeSchema(member, place, run))
  const literals = schemas.filter((schema) => 'const' in schema).map((schema) => schema['const'])
  const others = schemas.filter((schema) => !('const' in schema))
  if (others.some(isDate) && others.some((schema) => schema['type'] === 'string' && !isDate(schema))) {
    throw new Problem(place, 'A Date travels as a string, so that the two cannot be told apart.', 'Use one of them.')
  }
  const all = [...literalSchemas(literals), ...others]
  return all.length === 1 && all[0] !== undefined ? all[0] : { anyOf: all }
}

function isDate(schema: JsonSchema): boolean {
  return schema['$comment'] === dateComment
}

/** `true | false` is how the compiler writes boolean inside a union. */
function literalSchemas(literals: readonly unknown[]): JsonSchema[] {
  const isBoolean = literals.includes(true) && literals.includes(false)
  const values = isBoolean ? literals.filter((value) => typeof value !== 'boolean') : literals
  const kinds = new Set(values.map((value) => typeof value))
  const [kind] = kinds
  const choice: JsonSchema[] =
    values.length === 0
      ? []
      : values.length === 1
        ? [{ const: values[0] }]
        : [{ ...(kinds.size === 1 && { type: kind }), enum: values }]
  return isBoolean ? [...choice, { type: 'boolean' }] : choice
}

function templatePattern({ texts, types }: ts.TemplateLiteralType, { ts }: SchemaRun): string {
  const parts = types.map((part, index) => {
    const pattern = (part.flags & ts.TypeFlags.Number) !== 0 ? '-?\\d+(\\.\\d+)?' : '.*'
    return `${pattern}${escape(texts[index + 1] ?? '')}`
  })
  return `^${escape(texts[0] ?? '')}${parts.join('')}$`
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** A name for `$defs`, unique within the schema. */
function nameOf(type: ts.Type, { checker, open, definitions }: SchemaRun): string {
  const name = checker.typeToString(type).replaceAll(/\W+/g, '_').slice(0, 40) || 'Type'
  const isTaken = (candidate: string) =>
    definitions.has(candidate) || [...open.values()].some((entry) => entry.name === candidate)
  let unique = name
  for (let count = 2; isTaken(unique); count++) unique = `${name}_${count}`
  return unique
}
