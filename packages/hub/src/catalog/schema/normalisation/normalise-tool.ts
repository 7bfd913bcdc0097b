import type { SchemaStatus } from '@herma/contract'
import { isObject, type Era, type Descriptor } from '../../../wire/index.ts'
import { normaliseSchema } from './normalise-schema.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { ChangeList } from './schema-change.ts'

export interface NormalisedTool {
  readonly descriptor: Descriptor
  readonly status: SchemaStatus
}

const original: SchemaStatus = { state: 'original', changes: [] }

/**
 * A tool with schemas that strict clients take: one tool that such a client cannot read can make it drop all. A tool
 * that is fine comes back as it is, the same object. Clients of the legacy era take an output schema of objects only.
 */
export function normaliseTool(descriptor: Descriptor, era: Era = 'legacy'): NormalisedTool {
  const changes = new ChangeList()
  const inputSchema = normaliseSchema(descriptor['inputSchema'], { root: 'inputSchema', changes })
  const outputSchema = normaliseOutput(descriptor, era, changes)
  const isSame = inputSchema === descriptor['inputSchema'] && outputSchema === descriptor['outputSchema']
  if (isSame) return { descriptor, status: original }
  const { outputSchema: _, ...rest } = descriptor
  const normalised = { ...rest, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) }
  return { descriptor: normalised, status: { state: 'normalised', changes: changes.entries } }
}

function normaliseOutput(descriptor: Descriptor, era: Era, changes: ChangeList): unknown {
  const given = descriptor['outputSchema']
  if (given === undefined) return undefined
  if (!isObject(given)) {
    changes.add('outputSchema', 'removed: it is not a schema')
    return undefined
  }
  if (era === 'modern') return normaliseSchema(given, { root: 'outputSchema', changes, isAnyRoot: true })
  if (!describesObject(given, given)) {
    changes.add('outputSchema', 'removed: clients before 2026-07-28 take objects only')
    return undefined
  }
  return normaliseSchema(given, { root: 'outputSchema', changes })
}

const notObjects = ['items', 'prefixItems', 'enum', 'const'] as const

/** Where nothing is said about the type, an object is meant. */
export function describesObject(schema: unknown, root: unknown, depth = 0): boolean {
  if (!isObject(schema) || depth > 8) return false
  const { type, $ref, anyOf, oneOf } = schema
  if (type !== undefined) return type === 'object' || (Array.isArray(type) && type.length === 1 && type[0] === 'object')
  if (typeof $ref === 'string') return describesObject(resolvePointer(root, $ref), root, depth + 1)
  const choices = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  return choices.every((choice) => describesObject(choice, root, depth + 1)) && !notObjects.some((key) => key in schema)
}
