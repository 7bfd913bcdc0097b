import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '@herma/contract'
import type { Descriptor } from '../../wire/index.ts'
import { BatchWriter, type BatchWriterStats } from '../../platform/store/batch-writer.ts'
import type { Log } from '../../platform/log.ts'
import { nothingUnsaved, type Pin } from './pin.ts'
import { scanDescriptor } from './scan/scan-descriptor.ts'
import type { PinStore, StoredPin } from './store.ts'

type Key = Pick<StoredPin, 'connectorId' | 'tool'>

const maxBatch = 100
/** Descriptors written between two looks for those that nobody needs any more. */
const pruneInterval = 2000
/** A person waits for an approval; what takes longer is still stored when the store is back. */
const maxWaitMs = 5000

/**
 * Brings pins to the store in the background. What is queued is which pin changed, not how: the newest state is written,
 * so a tool that changes all the time takes no more room than one that does not.
 */
export class PinWriter {
  readonly #store: PinStore
  readonly #find: (connectorId: string, tool: string) => Pin | undefined
  readonly #writer: BatchWriter<Key>
  readonly #queued = new Map<string, Set<string>>()
  #sincePrune = 0

  constructor(store: PinStore, log: Log, find: (connectorId: string, tool: string) => Pin | undefined) {
    this.#store = store
    this.#find = find
    // The limit is never reached: a pin waits once, and the number of pins is bounded.
    const maxQueued = Number.MAX_SAFE_INTEGER
    this.#writer = new BatchWriter({ name: 'pins', log, maxBatch, maxQueued, write: (keys) => this.#write(keys) })
  }

  add(connectorId: string, tool: string): void {
    const queued = this.#queued.get(connectorId) ?? new Set()
    if (queued.has(tool)) return
    this.#queued.set(connectorId, queued.add(tool))
    this.#writer.add({ connectorId, tool })
  }

  /** Resolves when all is stored; rejects when the store does not take it in time. */
  async flush(): Promise<void> {
    const limit = new AbortController()
    const isStored = await Promise.race([
      this.#writer.flush().then(() => true),
      // Aborted = it was stored in time.
      sleep(maxWaitMs, false, { signal: limit.signal }).catch(() => true),
    ])
    limit.abort()
    if (isStored) return
    throw new HubError('STORE_UNAVAILABLE', 'What was approved holds, but the store does not answer. See: herma status')
  }

  async stop(): Promise<void> {
    await this.#writer.stop()
  }

  stats(): BatchWriterStats {
    return this.#writer.stats()
  }

  async #write(keys: readonly Key[]): Promise<void> {
    // After a failure the same keys come again, so a pin may be among them twice.
    const unique = new Map(keys.map((key) => [JSON.stringify([key.connectorId, key.tool]), key]))
    const saved: StoredPin[] = []
    const removed: Key[] = []
    const descriptors = new Map<string, Descriptor>()
    const written: Pin[] = []
    for (const { connectorId, tool } of unique.values()) {
      // A long descriptor takes its time to scan, and calls must not wait for a hundred of them.
      await setImmediate()
      this.#unqueue(connectorId, tool)
      const pin = this.#find(connectorId, tool)
      if (pin === undefined) {
        removed.push({ connectorId, tool })
        continue
      }
      for (const { hash, descriptor } of pin.unsaved) {
        descriptors.set(hash, descriptor)
        // The worst finding comes first.
        if (hash === pin.hash) pin.risk = scanDescriptor(descriptor)[0]?.severity ?? null
      }
      const { approvedHash, hash, risk } = pin
      const approvedAt = pin.approvedAtMs === null ? null : new Date(pin.approvedAtMs)
      saved.push({ connectorId, tool, approvedHash, approvedAt, hash, seenAt: new Date(pin.seenAtMs), risk })
      written.push(pin)
    }
    await this.#store.apply({ saved, removed, descriptors })
    for (const pin of written) pin.unsaved = nothingUnsaved
    this.#sincePrune += descriptors.size
    if (this.#sincePrune < pruneInterval) return
    this.#sincePrune = 0
    await this.#store.prune()
  }

  #unqueue(connectorId: string, tool: string): void {
    const queued = this.#queued.get(connectorId)
    queued?.delete(tool)
    if (queued?.size === 0) this.#queued.delete(connectorId)
  }
}
