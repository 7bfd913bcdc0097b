import { setImmediate as nextTurn } from 'node:timers/promises'
import { hash as digest } from 'node:crypto'
import type { Descriptor } from '../../wire/index.ts'

const known = new WeakMap<Descriptor, string>()
const chunkSize = 250

/**
 * The sha256 of a descriptor as it is written, in hexadecimal. Two that differ in the order of their keys have two
 * hashes: it says quickly that two are the same, not that they differ. What Herma adds in `_meta` does not count.
 */
export function contentHash(descriptor: Descriptor): string {
  const before = known.get(descriptor)
  if (before !== undefined) return before
  const hash = digest('sha256', JSON.stringify(withoutMeta(descriptor)), 'hex')
  known.set(descriptor, hash)
  return hash
}

/** Hashes many without holding up everything else; afterwards each hash is there at once. */
export async function hashContents(descriptors: readonly Descriptor[]): Promise<void> {
  for (const [index, descriptor] of descriptors.entries()) {
    contentHash(descriptor)
    if (index % chunkSize === chunkSize - 1) await nextTurn()
  }
}

export function withoutMeta({ _meta: _, ...rest }: Descriptor): Descriptor {
  return rest
}
