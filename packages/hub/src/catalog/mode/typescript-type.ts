import { isObject } from '../../wire/index.ts'

type Schema = Readonly<Record<string, unknown>>

export interface TypeOptions {
  /** Write what each property is for, where the schema says it. */
  readonly hasComments?: boolean
}

/**
 * The TypeScript type of a JSON Schema, for a model to read. Schemas come from servers: references are followed only
 * so deep and so often, and what is not understood is `unknown`.
 */
export function typescriptType(schema: unknown, options: TypeOptions = {}): string {
  return new TypeWriter(schema, options).write(schema, 0)
}

const maxDepth = 8
const maxNodes = 400
const maxProperties = 100
const maxChoices = 30
const maxCommentLength = 160

class TypeWriter {
  readonly #root: unknown
  readonly #options: TypeOptions
  /** Schemas that are being written now: one that contains itself is written once. */
  readonly #open = new Set<unknown>()
  #nodesLeft = maxNodes

  constructor(root: unknown, options: TypeOptions) {
    this.#root = root
    this.#options = options
  }

  write(schema: unknown, depth: number): string {
    if (schema === false) return 'never'
    if (!isObject(schema) || depth > maxDepth || this.#open.has(schema) || this.#nodesLeft-- <= 0) return 'unknown'
    this.#open.add(schema)
    const type = this.#writeAny(schema, depth)
    this.#open.delete(schema)
    return schema['nullable'] === true ? union([type, 'null']) : type
  }

  #writeAny(schema: Schema, depth: number): string {
    const reference = schema['$ref']
    if (typeof reference === 'string') return this.write(resolvePointer(this.#root, reference), depth + 1)
    if ('const' in schema) return literal(schema['const'])
    const choices: unknown = schema['enum']
    if (Array.isArray(choices)) return writeChoices(choices)
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const members: unknown = schema[keyword]
      if (Array.isArray(members) && members.length > 0) return this.#writeMembers(schema, members, depth)
    }
    const all: unknown = schema['allOf']
    if (Array.isArray(all) && all.length > 0) return this.#writeAll(schema, all, depth)
    const type: unknown = schema['type']
    if (Array.isArray(type)) return union(type.map((each) => this.#writeType(String(each), schema, depth)))
    return this.#writeType(typeof type === 'string' ? type : guessType(schema), schema, depth)
  }

  // Members may only add to the object that they stand in, such as "one of these is required".
  #writeMembers(schema: Schema, members: readonly unknown[], depth: number): string {
    if (isObject(schema['properties'])) return this.#writeObject(schema, depth)
    return union(members.map((member) => this.write(member, depth + 1)))
  }

  #writeAll(schema: Schema, members: readonly unknown[], depth: number): string {
    const own = isObject(schema['properties']) ? [this.#writeObject(schema, depth)] : []
    const parts = [...own, ...members.map((member) => this.write(member, depth + 1))]
    const known = [...new Set(parts)].filter((part) => part !== 'unknown').map(inBrackets)
    return known.length === 0 ? 'unknown' : known.join(' & ')
  }

  #writeType(type: string, schema: Schema, depth: number): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'number':
      case 'null':
        return type
      case 'integer':
        return 'number'
      case 'array':
        return this.#writeArray(schema, depth)
      case 'object':
        return this.#writeObject(schema, depth)
      default:
        return 'unknown'
    }
  }

  #writeArray(schema: Schema, depth: number): string {
    const items: unknown = schema['prefixItems'] ?? schema['items']
    if (Array.isArray(items)) return `[${items.map((item) => this.write(item, depth + 1)).join(', ')}]`
    return `${inBrackets(this.write(items, depth + 1))}[]`
  }

  #writeObject(schema: Schema, depth: number): string {
    const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
    const required: unknown = schema['required']
    const isRequired = new Set<unknown>(Array.isArray(required) ? required : [])
    const rest: unknown = schema['additionalProperties']
    const others = isObject(rest) ? this.write(rest, depth + 1) : 'unknown'
    if (properties.length === 0) return rest === false ? '{}' : `Record<string, ${others}>`
    const fields = properties.slice(0, maxProperties).map(([name, property]) => {
      const comment = this.#options.hasComments === true ? commentOf(property) : ''
      return `${comment}${propertyName(name)}${isRequired.has(name) ? '' : '?'}: ${this.write(property, depth + 1)}`
    })
    if (isObject(rest) || properties.length > maxProperties) fields.push(`[key: string]: ${others}`)
    return `{ ${fields.join('; ')} }`
  }
}

/** A name as it may stand in a type or an object literal. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** Text that may stand in a comment, in one line. */
export function commentText(text: string, maxLength: number): string {
  const line = text
    .slice(0, 10 * maxLength)
    .replace(/\s+/g, ' ')
    .replaceAll('*/', '*∕')
    .trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).trimEnd()}…`
}

function commentOf(property: unknown): string {
  const description = isObject(property) ? property['description'] : undefined
  if (typeof description !== 'string' || description.trim() === '') return ''
  return `/** ${commentText(description, maxCommentLength)} */ `
}

function guessType(schema: Schema): string {
  if (isObject(schema['properties']) || isObject(schema['additionalProperties'])) return 'object'
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'unknown'
}

function writeChoices(choices: readonly unknown[]): string {
  const shown = choices.slice(0, maxChoices).map(literal)
  const more = choices.length > maxChoices ? [...new Set(choices.map((choice) => typeof choice))] : []
  return union([...shown, ...more.map((type) => (['string', 'number', 'boolean'].includes(type) ? type : 'unknown'))])
}

function literal(value: unknown): string {
  return JSON.stringify(value)
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)]
  if (distinct.length === 0 || distinct.includes('unknown')) return 'unknown'
  return distinct.join(' | ')
}

function inBrackets(type: string): string {
  return isCompound(type) ? `(${type})` : type
}

function isCompound(type: string): boolean {
  let depth = 0
  for (const character of type.replace(/"(?:[^"\\]|\\.)*"|\/\*\*.*?\*\//g, '')) {
    if ('{[(<'.includes(character)) depth++
    else if ('}])>'.includes(character)) depth--
    else if (depth === 0 && '|&'.includes(character)) return true
  }
  return false
}

/** Only references into the same schema are followed. https://www.rfc-editor.org/rfc/rfc6901 */
function resolvePointer(root: unknown, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let found: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decodePart(part)
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

function decodePart(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(unescaped)
  } catch {
    // A lone "%" is an ordinary character of a name.
    return unescaped
  }
}
