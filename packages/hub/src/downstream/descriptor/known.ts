import type { Connector } from '@herma/contract'
import { isObject, metaKeys, type Descriptor } from '../../wire/index.ts'
import { keepsServer } from '../connector/change/change-connector.ts'
import { DescriptorPack } from './descriptor-pack.ts'
import type { Distinction } from '../supervision/distinction.ts'
import type { Handshake } from '../link/handshake.ts'
import type { DescriptorSnapshot } from '../connector/store.ts'

/** What a server offered when it was last asked. */
export interface Known {
  readonly descriptors: DescriptorPack
  readonly handshake: Handshake
  readonly fetchedAt: Date
  /** What it was seen to tell its clients apart by. */
  readonly distinctions: readonly Distinction[]
}

export function toKnown(snapshot: DescriptorSnapshot): Known {
  const { era, revision, transport, handshake, fetchedAt, distinctions } = snapshot
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
      ...(transport !== null && { transport }),
    },
    fetchedAt,
    distinctions,
  }
}

/** What is still known of a server after its connector was changed. */
export function keepKnown(known: Known | null, before: Connector, after: Connector): Known | null {
  if (known === null || !keepsServer(before, after)) return null
  // An era that somebody chose says nothing about what the server would choose.
  return before.options.era === after.options.era ? known : { ...known, fetchedAt: new Date(0) }
}

export function toSnapshot({ descriptors, handshake, fetchedAt, distinctions }: Known): DescriptorSnapshot {
  const { era, revision, transport = null, result } = handshake
  return { ...descriptors.readAll(), fetchedAt, era, revision, transport, handshake: result, distinctions }
}
