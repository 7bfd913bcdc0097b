import { isNestedTooDeep, isObject } from '../../../wire/index.ts'
import type { Arguments } from '../../core/own-tool.ts'
import { allowedTypes, isAllowed, schemaFor } from './schema-type.ts'

/** Text in text in text: what is nested deeper stays as it came. */
const maxDepth = 64
/** As much text as is decoded in one go; what is left over stays text. */
const maxChars = 8 * 1024 * 1024

type Schema = Record<string, unknown>

interface Budget {
  charsLeft: number
}

/**
 * Some models send objects, lists, numbers and booleans as JSON text. Where the schema allows no text, such text becomes
 * what it stands for; everything else stays as it came, so that a text that looks like JSON is still a text.
 */
export function decodeArguments(args: Arguments, schema: Schema): Arguments {
  return decodeBySchema(args, { schema, root: schema, depth: 0 }, { charsLeft: maxChars }) as Arguments
}

/**
 * Some servers answer with JSON in text. Every text that looks like an object or a list becomes one, however deep,
 * unless the schema says that a text belongs there.
 */
export function decodeJsonText(value: unknown, schema?: Schema): unknown {
  return decodeByLook(value, { schema, root: schema ?? {}, depth: 0 }, { charsLeft: maxChars })
}

/** Parses JSON that is neither too large nor too deep; undefined for anything else. */
export function parseJsonText(text: string, charsLeft = maxChars): unknown {
  if (text.length > charsLeft || isNestedTooDeep(Buffer.from(text))) return undefined
  try {
    return JSON.parse(text)
  } catch {
    // Most texts are no JSON; that is no error.
    return undefined
  }
}

interface Position {
  readonly schema: unknown
  readonly root: Schema
  readonly depth: number
}

function decodeBySchema(value: unknown, at: Position, budget: Budget): unknown {
  if (at.depth > maxDepth) return value
  if (typeof value === 'string') {
    const types = allowedTypes(at.schema, at.root)
    if (types === undefined || types.has('string')) return value
    const parsed = take(value, budget)
    return parsed !== undefined && isAllowed(types, parsed)
      ? decodeBySchema(parsed, { ...at, depth: at.depth + 1 }, budget)
      : value
  }
  return mapInside(value, at, (inner, place) => decodeBySchema(inner, place, budget))
}

function decodeByLook(value: unknown, at: Position, budget: Budget): unknown {
  if (at.depth > maxDepth) return value
  if (typeof value === 'string') {
    if (!/^\s*[[{]/.test(value) || isText(at)) return value
    const parsed = take(value, budget)
    return parsed === undefined ? value : decodeByLook(parsed, { ...at, depth: at.depth + 1 }, budget)
  }
  return mapInside(value, at, (inner, place) => decodeByLook(inner, place, budget))
}

function isText(at: Position): boolean {
  return allowedTypes(at.schema, at.root)?.has('string') === true
}

function take(text: string, budget: Budget): unknown {
  const parsed = parseJsonText(text, budget.charsLeft)
  if (parsed !== undefined) budget.charsLeft -= text.length
  return parsed
}

function mapInside(value: unknown, at: Position, decode: (inner: unknown, at: Position) => unknown): unknown {
  const depth = at.depth + 1
  if (Array.isArray(value)) {
    const schema = schemaFor(at.schema, at.root, value)?.['items']
    return value.map((inner) => decode(inner, { ...at, schema, depth }))
  }
  if (!isObject(value)) return value
  const plain = schemaFor(at.schema, at.root, value)
  const properties = plain?.['properties']
  const schemaOf = (key: string) =>
    isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : plain?.['additionalProperties']
  // Entries and not assignments, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, decode(inner, { ...at, schema: schemaOf(key), depth })]),
  )
}
