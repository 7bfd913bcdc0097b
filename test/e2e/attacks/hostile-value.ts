/** A JSON schema, as far as it is read here. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly additionalProperties?: JsonSchema | boolean
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

export interface Loot {
  /** A file that is none of the asker's business. */
  readonly secret: string
  /** Its folder. */
  readonly folder: string
  /** A file that a command of the asker would write. */
  readonly marker: string
}

/**
 * Bodies that fit a schema and want to run a command or read a file wherever a field sounds like it: one for each branch
 * of a choice. A new operation is attacked with them before anybody has thought of it.
 */
export function hostileValues(schema: JsonSchema, loot: Loot): unknown[] {
  return valuesOf(schema, { loot, name: '', defs: schema.$defs ?? {}, depth: 0 }).slice(0, 40)
}

interface Place {
  readonly loot: Loot
  readonly name: string
  readonly defs: Readonly<Record<string, JsonSchema>>
  readonly depth: number
}

function valuesOf(schema: JsonSchema, place: Place): unknown[] {
  if (place.depth > 8) return [null]
  const below = (name: string) => ({ ...place, name, depth: place.depth + 1 })
  if (schema.$ref !== undefined) return valuesOf(place.defs[schema.$ref.split('/').at(-1)!] ?? {}, below(place.name))
  if (schema.const !== undefined) return [schema.const]
  if (schema.enum !== undefined) return preferred(schema.enum)
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(({ type }) => type !== 'null')
  if (choices.length > 0) return choices.flatMap((choice) => valuesOf(choice, below(place.name)))
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.find((each) => each !== 'null')
  if (type === 'object' || schema.properties !== undefined) return objectsOf(schema, place)
  if (type === 'array') return [listOf(schema, place)]
  if (type === 'integer' || type === 'number') return [60_000]
  if (type === 'boolean') return [true]
  return [textOf(place)]
}

/** Every field at once, and those that must be alone; a field with choices gives one object for each. */
function objectsOf({ properties = {}, required = [] }: JsonSchema, place: Place): unknown[] {
  let made: Record<string, unknown>[] = [{}]
  for (const [name, schema] of Object.entries(properties)) {
    const values = valuesOf(schema, { ...place, name, depth: place.depth + 1 })
    made = made.flatMap((one) => values.slice(0, 6).map((value) => ({ ...one, [name]: value }))).slice(0, 20)
  }
  const least = Object.fromEntries(Object.entries(made[0]!).filter(([name]) => required.includes(name)))
  const risky = Object.fromEntries(
    Object.entries(made[0]!).filter(([name]) => required.includes(name) || isRisky.test(name)),
  )
  return [...made, risky, least]
}

function listOf({ items = {} }: JsonSchema, place: Place): unknown[] {
  if (/arg/i.test(place.name)) return ['-c', `cp '${place.loot.secret}' '${place.loot.marker}'`]
  return valuesOf(items, { ...place, depth: place.depth + 1 }).slice(0, 1)
}

const isRisky = /cmd|command|arg|env|dir|cwd|folder|path|file|root|url|transport|provider|kind|access|role/i

function preferred(values: readonly unknown[]): unknown[] {
  const wanted = values.filter((value) => ['stdio', 'command', 'local', 'admin', 'text'].includes(String(value)))
  return [...wanted, ...values.filter((value) => !wanted.includes(value))].slice(0, 3)
}

function textOf({ name, loot }: Place): string {
  if (/cmd|command/i.test(name)) return '/bin/sh'
  if (/dir|cwd|folder|root/i.test(name)) return loot.folder
  if (/path|file/i.test(name)) return loot.secret
  if (/url|uri|issuer|origin/i.test(name)) return `file://${loot.secret}`
  if (/^value$/.test(name)) return `--require ${loot.secret}`
  if (/session/i.test(name)) return 'coder'
  if (/connector/i.test(name)) return 'vault'
  return 'hostile'
}
