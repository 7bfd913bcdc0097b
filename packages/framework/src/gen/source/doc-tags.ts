import type { ts } from '@ts-morph/common'
import type { JsonSchema } from '../../decorator/generated.ts'
import { Problem } from './problem.ts'

/** A JSDoc tag that says more of a value than its type does. */
export interface DocTag {
  readonly name: string
  readonly text: string
  readonly node: ts.Node
}

type Read = (tag: DocTag, type: string | undefined) => unknown

/** Each tag is the JSON Schema keyword of the same name; `type` is what it can be said of. */
const tags: Readonly<Record<string, { readonly type?: string; readonly read: Read }>> = {
  minimum: { type: 'number', read: readNumber },
  maximum: { type: 'number', read: readNumber },
  exclusiveMinimum: { type: 'number', read: readNumber },
  exclusiveMaximum: { type: 'number', read: readNumber },
  multipleOf: { type: 'number', read: readNumber },
  minLength: { type: 'string', read: readCount },
  maxLength: { type: 'string', read: readCount },
  pattern: { type: 'string', read: readPattern },
  format: { type: 'string', read: readText },
  minItems: { type: 'array', read: readCount },
  maxItems: { type: 'array', read: readCount },
  uniqueItems: { type: 'array', read: () => true },
  minProperties: { type: 'object', read: readCount },
  maxProperties: { type: 'object', read: readCount },
  title: { read: readText },
  deprecated: { read: () => true },
  default: { read: readValue },
}

export function isDocTag(name: string): boolean {
  return Object.hasOwn(tags, name) || name === 'integer' || name === 'example'
}

/** A schema with what JSDoc adds: `@minimum 0`, `@format email`, `@default 10`, `@integer`, `@example …` and others. */
export function applyDocTags(schema: JsonSchema, docTags: readonly DocTag[]): JsonSchema {
  return docTags.filter(({ name }) => isDocTag(name)).reduce(applyDocTag, schema)
}

function applyDocTag(schema: JsonSchema, tag: DocTag): JsonSchema {
  if (tag.name === 'integer') return narrow(schema, tag, 'number', { type: 'integer' })
  if (tag.name === 'example') {
    const others = (schema['examples'] ?? []) as readonly unknown[]
    return { ...schema, examples: [...others, readValue(tag, typeOf(schema))] }
  }
  const { type, read } = tags[tag.name]!
  const keyword = { [tag.name]: read(tag, typeOf(schema)) }
  return type === undefined ? { ...schema, ...keyword } : narrow(schema, tag, type, keyword)
}

/** Says something of the part of a schema that has the type: of a union, of each such member. */
function narrow(schema: JsonSchema, tag: DocTag, type: string, keyword: JsonSchema): JsonSchema {
  if (isOf(schema, type)) return { ...schema, ...keyword }
  const members = (schema['anyOf'] ?? []) as readonly JsonSchema[]
  if (!members.some((member) => isOf(member, type))) {
    throw new Problem(
      tag.node,
      `@${tag.name} is for a ${type}, and this is none.`,
      'Remove the tag, or change the type.',
    )
  }
  return { ...schema, anyOf: members.map((member) => (isOf(member, type) ? { ...member, ...keyword } : member)) }
}

function isOf(schema: JsonSchema, type: string): boolean {
  return schema['type'] === type || (type === 'number' && schema['type'] === 'integer')
}

function typeOf(schema: JsonSchema): string | undefined {
  return typeof schema['type'] === 'string' ? schema['type'] : undefined
}

function readNumber(tag: DocTag): number {
  const value = Number(tag.text)
  if (tag.text !== '' && Number.isFinite(value)) return value
  throw new Problem(tag.node, `@${tag.name} needs a number and has '${tag.text}'.`, `Write for example: @${tag.name} 1`)
}

function readCount(tag: DocTag): number {
  const value = readNumber(tag)
  if (Number.isInteger(value) && value >= 0) return value
  throw new Problem(tag.node, `@${tag.name} needs a whole number from 0 on.`, `Write for example: @${tag.name} 1`)
}

function readText(tag: DocTag): string {
  if (tag.text !== '') return tag.text
  throw new Problem(tag.node, `@${tag.name} says nothing.`, `Write its value behind it, or remove it.`)
}

function readPattern(tag: DocTag): string {
  try {
    return new RegExp(readText(tag), 'u').source
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(tag.node, `@pattern '${tag.text}' is no regular expression.`, 'Write it without slashes.')
  }
}

/** A value is JSON; a string may go without its quotes. */
function readValue(tag: DocTag, type: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(tag.text)
    return type === 'string' && typeof value !== 'string' ? tag.text : value
  } catch {
    // Not JSON: text that stands for itself, unless something else is needed.
    if (type === undefined || type === 'string') return readText(tag)
    throw new Problem(tag.node, `@${tag.name} needs a ${type} and has '${tag.text}'.`, 'Write the value as JSON.')
  }
}
