import { hash as digest } from 'node:crypto'
import { canonicalJson } from './canonical-json.ts'

/** A tool as tools/list has it. Nobody changes one in place: its hash is remembered by its identity. */
export type Descriptor = Readonly<Record<string, unknown>>

/** What a person approves: all that a model reads of a tool, and what the tool says about its effects. */
export const pinnedFields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

// A rebuild of the catalog sees mostly the same objects again; hashing each once keeps it short.
const known = new WeakMap<Descriptor, string>()

/** The sha256, in hexadecimal, of what is pinned of a tool. The order of its keys does not matter. */
export function hashDescriptor(descriptor: Descriptor): string {
  const before = known.get(descriptor)
  if (before !== undefined) return before
  const hash = hashJson(pinnedPart(descriptor))
  known.set(descriptor, hash)
  return hash
}

export function pinnedPart(descriptor: Descriptor): Descriptor {
  return Object.fromEntries(
    pinnedFields.flatMap((field) => (descriptor[field] === undefined ? [] : [[field, descriptor[field]]])),
  )
}

export function hashJson(value: unknown): string {
  return digest('sha256', canonicalJson(value), 'hex')
}
