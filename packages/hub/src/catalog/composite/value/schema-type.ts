import { isObject } from '../../../wire/index.ts'

type Schema = Record<string, unknown>

const maxSteps = 32

/** The JSON types that a schema allows; undefined when it does not say. `root` is where its `$ref` point into. */
export function allowedTypes(schema: unknown, root: Schema, step = 0): ReadonlySet<string> | undefined {
  const plain = followReference(schema, root)
  if (plain === undefined || step > maxSteps) return undefined
  const { type } = plain
  if (typeof type === 'string') return new Set([type])
  if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === 'string'))
  if (Array.isArray(plain['enum'])) return new Set(plain['enum'].map(typeOf))
  if (plain['const'] !== undefined) return new Set([typeOf(plain['const'])])
  const alternatives = alternativesOf(plain)
  if (alternatives === undefined) return undefined
  const types = new Set<string>()
  for (const each of alternatives) {
    const inner = allowedTypes(each, root, step + 1)
    if (inner === undefined) return undefined
    for (const name of inner) types.add(name)
  }
  return types
}

/** Whether a value is of one of the types. Types that are not known allow everything. */
export function isAllowed(types: ReadonlySet<string> | undefined, value: unknown): boolean {
  if (types === undefined) return true
  const type = typeOf(value)
  if (type !== 'number') return types.has(type)
  return types.has('number') || (types.has('integer') && Number.isSafeInteger(value))
}

/** The part of a schema that speaks of the inside of a value: itself, or the alternative that suits. */
export function schemaFor(schema: unknown, root: Schema, value: unknown, step = 0): Schema | undefined {
  const plain = followReference(schema, root)
  if (plain === undefined || step > maxSteps) return undefined
  if (isObject(plain['properties']) || plain['items'] !== undefined) return plain
  const suiting = alternativesOf(plain)?.find((each) => isAllowed(allowedTypes(each, root), value))
  return suiting === undefined ? plain : schemaFor(suiting, root, value, step + 1)
}

export function followReference(schema: unknown, root: Schema): Schema | undefined {
  let found = schema
  for (let step = 0; isObject(found) && typeof found['$ref'] === 'string'; step++) {
    const pointer = found['$ref']
    if (step > maxSteps || !pointer.startsWith('#')) return undefined
    found = readPointer(root, pointer)
  }
  return isObject(found) ? found : undefined
}

export function requiredKeys(schema: Schema): string[] {
  const { required } = schema
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []
}

function readPointer(root: Schema, pointer: string): unknown {
  let value: unknown = root
  for (const part of pointer.slice(1).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

function alternativesOf(schema: Schema): unknown[] | undefined {
  const found = schema['anyOf'] ?? schema['oneOf']
  return Array.isArray(found) && found.length > 0 ? found : undefined
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
