import { hash as digest } from 'node:crypto'
import { canonicalJson, canonicalText, keepText, type Descriptor } from '../../wire/index.ts'

/** What a person approves: all that a model reads of a tool, and what the tool says about its effects. */
export const pinnedFields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

// A rebuild of the catalog sees mostly the same objects again; hashing each once keeps it short.
const known = new WeakMap<Descriptor, Hashed>()

interface Hashed {
  readonly hash: string
  /** Its text says more than its values. */
  readonly hasLosses: boolean
}

/**
 * The sha256, in hexadecimal, of what is pinned of a tool. The order of its keys does not matter. Numbers count as they
 * are written where JavaScript cannot hold them, and so does what a repeated key hides from it but not from everybody.
 */
export function hashDescriptor(descriptor: Descriptor): string {
  return hashOnce(descriptor).hash
}

/** The same by the values alone, as it was before numbers counted as they are written; null when it is no other. */
export function hashOfValues(descriptor: Descriptor): string | null {
  return hashOnce(descriptor).hasLosses ? hashJson(pinnedPart(descriptor)) : null
}

function hashOnce(descriptor: Descriptor): Hashed {
  const before = known.get(descriptor)
  if (before !== undefined) return before
  const text = canonicalText(pinnedPart(descriptor))
  const hashed = { hash: digest('sha256', text, 'hex'), hasLosses: text.includes('\n') }
  known.set(descriptor, hashed)
  return hashed
}

export function pinnedPart(descriptor: Descriptor): Descriptor {
  const fields = pinnedFields.flatMap((field) => (descriptor[field] === undefined ? [] : [[field, descriptor[field]]]))
  return keepText(Object.fromEntries(fields) as Descriptor, descriptor)
}

export function hashJson(value: unknown): string {
  return digest('sha256', canonicalJson(value), 'hex')
}
