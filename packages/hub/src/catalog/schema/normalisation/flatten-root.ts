import { isObject } from '../../../wire/index.ts'
import type { Schema } from './normalise-schema.ts'
import type { ChangeList } from './schema-change.ts'

const unions = ['anyOf', 'oneOf', 'allOf'] as const

/**
 * The root of a tool's schema as one object. Several providers of models refuse a choice there, and with it all tools:
 * the properties of all choices are put together, and required is what every choice requires.
 */
export function flattenRoot(schema: Schema, path: string, changes: ChangeList): Schema {
  const { type } = schema
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    changes.add(path, `replaced: its type was ${JSON.stringify(type)}, and arguments are an object`)
    return { type: 'object' }
  }
  let result = schema
  if (type !== 'object') {
    changes.add(`${path}.type`, type === undefined ? 'added' : `${JSON.stringify(type)} became "object"`)
    result = { ...schema, type: 'object' }
  }
  for (const union of unions) {
    if (!Array.isArray(result[union])) continue
    changes.add(
      `${path}.${union}`,
      `merged into one object${union === 'allOf' ? '' : ': the choices are left to the server'}`,
    )
    result = mergeUnion(result, union)
  }
  return result
}

function mergeUnion(schema: Schema, union: (typeof unions)[number]): Schema {
  const { [union]: list, ...rest } = schema
  const choices = (list as unknown[]).filter(isObject).map((choice) => mergeInner(choice))
  const required = choices.map((choice) => new Set(namesIn(choice['required'])))
  const names = [...new Set(required.flatMap((set) => [...set]))]
  const needed = union === 'allOf' ? names : names.filter((name) => required.every((set) => set.has(name)))
  const properties = mergeProperties([rest, ...choices], union)
  const all = [...new Set([...namesIn(rest['required']), ...needed])]
  // What one choice forbids another may allow, so only what stands beside the choices can stay closed.
  if (rest['additionalProperties'] === false) delete rest['additionalProperties']
  return {
    ...rest,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(all.length > 0 ? { required: all } : {}),
  }
}

/** Choices within choices are merged first. */
function mergeInner(schema: Schema): Schema {
  return unions.reduce((merged, union) => (Array.isArray(merged[union]) ? mergeUnion(merged, union) : merged), schema)
}

function mergeProperties(schemas: readonly Schema[], union: (typeof unions)[number]): Schema {
  const found = new Map<string, { text: string; schema: unknown }[]>()
  for (const { properties } of schemas) {
    if (!isObject(properties)) continue
    for (const [name, schema] of Object.entries(properties)) {
      const text = JSON.stringify(schema)
      const known = found.get(name) ?? []
      if (!known.some((other) => other.text === text)) found.set(name, [...known, { text, schema }])
    }
  }
  const word = union === 'allOf' ? 'allOf' : 'anyOf'
  return Object.fromEntries(
    [...found].map(([name, list]) => [
      name,
      list.length === 1 ? list[0]!.schema : { [word]: list.map((each) => each.schema) },
    ]),
  )
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}
