import { isObject, metaKeys } from '../wire/index.ts'
import { DescriptorPack } from './descriptor-pack.ts'
import type { Descriptor } from './descriptors.ts'
import type { Handshake } from './handshake.ts'
import type { DescriptorSnapshot } from './store.ts'

/** What a server offered when it was last asked. */
export interface Known {
  readonly descriptors: DescriptorPack
  readonly handshake: Handshake
  readonly fetchedAt: Date
}

export function toKnown(snapshot: DescriptorSnapshot): Known {
  const { era, revision, handshake, fetchedAt } = snapshot
  const result = isObject(handshake) ? handshake : {}
  const meta = isObject(result['_meta']) ? result['_meta'] : {}
  const serverInfo = result['serverInfo'] ?? meta[metaKeys.serverInfo]
  return {
    descriptors: new DescriptorPack({
      tools: snapshot.tools as Descriptor[],
      resources: snapshot.resources as Descriptor[],
      resourceTemplates: snapshot.resourceTemplates as Descriptor[],
      prompts: snapshot.prompts as Descriptor[],
    }),
    handshake: {
      era,
      revision,
      capabilities: isObject(result['capabilities']) ? result['capabilities'] : {},
      serverInfo: isObject(serverInfo) ? serverInfo : null,
      instructions: typeof result['instructions'] === 'string' ? result['instructions'] : null,
      result: handshake,
    },
    fetchedAt,
  }
}

export function toSnapshot({ descriptors, handshake, fetchedAt }: Known): DescriptorSnapshot {
  const { era, revision, result } = handshake
  return { ...descriptors.readAll(), fetchedAt, era, revision, handshake: result }
}
