import { deflateRawSync, inflateRawSync } from 'node:zlib'
import {
  descriptorKinds,
  noDescriptors,
  type Descriptor,
  type DescriptorKind,
  type Descriptors,
} from './descriptors.ts'

/**
 * The descriptors of one server, put away. Parsed they would take several times the room of their JSON, and they are
 * looked at only when the server or the rules of the catalog change; so they are kept deflated and read again then.
 */
export class DescriptorPack {
  readonly counts: Readonly<Record<DescriptorKind, number>>
  readonly #lists: Readonly<Record<DescriptorKind, Buffer | null>>

  constructor(descriptors: Descriptors) {
    this.counts = mapKinds((kind) => descriptors[kind].length)
    this.#lists = mapKinds((kind) =>
      descriptors[kind].length === 0 ? null : trim(deflateRawSync(JSON.stringify(descriptors[kind]))),
    )
  }

  read(kind: DescriptorKind): Descriptor[] {
    const list = this.#lists[kind]
    return list === null ? [] : (JSON.parse(inflateRawSync(list).toString('utf8')) as Descriptor[])
  }

  readAll(): Descriptors {
    return mapKinds((kind) => this.read(kind))
  }
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
