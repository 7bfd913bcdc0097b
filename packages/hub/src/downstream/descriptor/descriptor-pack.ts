import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { canonicalText, readJson, textOf, toOneLine, type Descriptor } from '../../wire/index.ts'
import { descriptorKinds, noDescriptors, type DescriptorKind, type Descriptors } from './descriptors.ts'

/**
 * The descriptors of one server, put away as their server wrote them. Parsed they would take several times the room of
 * their JSON, and they are looked at only when the server or the rules of the catalog change; so they are kept deflated,
 * one in a line, and read again then.
 */
export class DescriptorPack {
  readonly counts: Readonly<Record<DescriptorKind, number>>
  readonly #lists: Readonly<Record<DescriptorKind, Buffer | null>>

  /** Lists that are not given are those of the base. */
  constructor(descriptors: Partial<Descriptors>, base?: DescriptorPack) {
    this.counts = mapKinds((kind) => descriptors[kind]?.length ?? base?.counts[kind] ?? 0)
    this.#lists = mapKinds((kind) => {
      const list = descriptors[kind]
      if (list !== undefined) return pack(list)
      return base === undefined ? null : base.#lists[kind]
    })
  }

  read(kind: DescriptorKind): Descriptor[] {
    const list = this.#lists[kind]
    if (list === null) return []
    const lines = inflateRawSync(list).toString('utf8').split('\n')
    return lines.map((line) => readJson(line) as Descriptor)
  }

  readAll(): Descriptors {
    return mapKinds((kind) => this.read(kind))
  }

  /** True when both say the same, in whatever order of keys. */
  equals(other: DescriptorPack): boolean {
    return descriptorKinds.every((kind) => {
      const [own, theirs] = [this.#lists[kind], other.#lists[kind]]
      if (own === null || theirs === null) return own === theirs
      return own.equals(theirs) || hasSame(this.read(kind), other.read(kind))
    })
  }
}

function hasSame(left: readonly Descriptor[], right: readonly Descriptor[]): boolean {
  return (
    left.length === right.length && left.every((each, index) => canonicalText(each) === canonicalText(right[index]))
  )
}

function pack(list: readonly Descriptor[]): Buffer | null {
  if (list.length === 0) return null
  return trim(deflateRawSync(list.map((each) => toOneLine(textOf(each))).join('\n')))
}

export const emptyPack = new DescriptorPack(noDescriptors)

/** What zlib returns is a small part of a large buffer. */
function trim(bytes: Buffer): Buffer {
  const exact = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(exact)
  return exact
}

function mapKinds<T>(map: (kind: DescriptorKind) => T): Record<DescriptorKind, T> {
  return Object.fromEntries(descriptorKinds.map((kind) => [kind, map(kind)])) as Record<DescriptorKind, T>
}
