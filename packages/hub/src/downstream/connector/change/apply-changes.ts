import { canonicalText, type Descriptor } from '../../../wire/index.ts'
import { descriptorKeys, descriptorKinds, type Descriptors } from '../../descriptor/descriptors.ts'

/** The base with what became of `before` on the way to `after`: entries that came, went, or are different now. */
export function applyChanges(
  base: Descriptors,
  before: Partial<Descriptors>,
  after: Partial<Descriptors>,
): Descriptors {
  const changed = descriptorKinds.map((kind) => [
    kind,
    applyTo(descriptorKeys[kind], base[kind], before[kind], after[kind]),
  ])
  return Object.fromEntries(changed)
}

function applyTo(
  key: string,
  base: readonly Descriptor[],
  before: readonly Descriptor[] = [],
  after: readonly Descriptor[] = [],
): Descriptor[] {
  const [old, now] = [index(key, before), index(key, after)]
  const kept = base.flatMap((descriptor) => {
    const id = descriptor[key]
    if (!old.has(id)) return [descriptor]
    const next = now.get(id)
    if (next === undefined) return []
    return [canonicalText(old.get(id)) === canonicalText(next) ? descriptor : next]
  })
  const known = index(key, kept)
  const added = after.filter((descriptor) => !old.has(descriptor[key]) && !known.has(descriptor[key]))
  return added.length === 0 ? kept : [...kept, ...added]
}

function index(key: string, descriptors: readonly Descriptor[]): Map<unknown, Descriptor> {
  return new Map(descriptors.map((descriptor) => [descriptor[key], descriptor]))
}
