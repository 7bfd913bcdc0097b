import { isObject } from '../../../wire/index.ts'
import type { ContentBlock } from '../../core/own-tool.ts'
import { parseJsonText } from './decode-json-text.ts'
import { allowedTypes, isAllowed, requiredKeys } from './schema-type.ts'

type Schema = Record<string, unknown>

/**
 * The structured content that goes with an output schema: what there is when it has the keys that the schema wants, else
 * the same, the JSON in the text, or the text under `result` when the schema has room for that. A client that is
 * strict refuses a result without, so undefined must become an error.
 */
export function fitStructured(
  schema: Schema,
  candidate: unknown,
  blocks: readonly ContentBlock[],
): Record<string, unknown> | undefined {
  if (hasKeys(schema, candidate)) return candidate
  const texts = blocks.filter((block) => block.type === 'text').map((block) => String(block['text']))
  const parsed = texts.length === 1 ? parseJsonText(texts[0]!) : undefined
  if (candidate === undefined && hasKeys(schema, parsed)) return parsed
  for (const value of [candidate, parsed, texts.join('\n')]) {
    if (value !== undefined && canHoldResult(schema, (types) => isAllowed(types, value))) return { result: value }
  }
  return undefined
}

/** Whether any answer at all can be put under `result`. */
export function holdsAnyText(schema: Schema): boolean {
  return canHoldResult(schema, (types) => types === undefined || types.has('string'))
}

/** Whether any object can be put under `result`. */
export function holdsAnyObject(schema: Schema): boolean {
  return canHoldResult(schema, (types) => types === undefined || types.has('object'))
}

function hasKeys(schema: Schema, value: unknown): value is Record<string, unknown> {
  return isObject(value) && requiredKeys(schema).every((key) => Object.hasOwn(value, key))
}

function canHoldResult(schema: Schema, suits: (types: ReadonlySet<string> | undefined) => boolean): boolean {
  if (requiredKeys(schema).some((key) => key !== 'result')) return false
  const { properties } = schema
  if (isObject(properties) && Object.hasOwn(properties, 'result')) {
    return suits(allowedTypes(properties['result'], schema))
  }
  const others = schema['additionalProperties']
  return others !== false && suits(allowedTypes(others, schema))
}
