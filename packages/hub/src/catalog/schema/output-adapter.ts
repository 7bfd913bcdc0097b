import type { SchemaStatus } from '@herma/contract'
import { BatchWriter } from '../../platform/store/batch-writer.ts'
import type { Events } from '../../platform/events.ts'
import type { Log } from '../../platform/log.ts'
import { isObject, type Descriptor } from '../../wire/index.ts'
import { hashDescriptor } from '../pin/hash-descriptor.ts'
import { findContradiction } from './check-output.ts'
import type { SchemaStatusStore, StoredAdaptation } from './store.ts'

export interface OutputAdapterOptions {
  readonly store: SchemaStatusStore
  readonly events: Events
  readonly log: Log
}

export interface AdaptedTool {
  readonly descriptor: Descriptor
  /** Null when nothing had to be adapted. */
  readonly status: SchemaStatus | null
}

/** Results of a tool that are looked at; one that was right so often is trusted. */
const maxChecks = 20
/** Tools that are remembered, of those that were right and of those that were not; the oldest go first. */
const maxTools = 20_000

/**
 * Remembers the servers that answer something else than they say. A client that checks would refuse every answer of
 * such a tool, so it is shown without its output schema, until its server describes it anew.
 */
export class OutputAdapter {
  readonly #options: OutputAdapterOptions
  readonly #adapted = new Map<string, StoredAdaptation>()
  readonly #checks = new Map<string, { readonly hash: string; readonly count: number }>()
  readonly #writer: BatchWriter<{ connectorId: string; tool: string }>

  constructor(options: OutputAdapterOptions) {
    this.#options = options
    this.#writer = new BatchWriter({
      name: 'schema status',
      log: options.log,
      maxBatch: 50,
      write: async (keys) => {
        for (const { connectorId, tool } of keys) await this.#write(connectorId, tool)
      },
    })
  }

  async start(): Promise<void> {
    for (const row of await this.#options.store.loadAll()) this.#adapted.set(keyOf(row.connectorId, row.tool), row)
  }

  async stop(): Promise<void> {
    await this.#writer.stop()
  }

  /** Whether a result of the tool is worth a look; most are not, and need not be parsed. */
  wants(connectorId: string, descriptor: Descriptor): boolean {
    if (!isObject(descriptor['outputSchema'])) return false
    const key = keyOf(connectorId, String(descriptor['name']))
    const hash = hashDescriptor(descriptor)
    const adapted = this.#adapted.get(key)
    if (adapted?.hash === hash) return adapted.exposed === 'generic'
    const checks = this.#checks.get(key)
    return checks?.hash !== hash || checks.count < maxChecks
  }

  /** Looks at a result of the tool. True when the tool has to be shown differently from now on. */
  observe(connector: { readonly id: string; readonly name: string }, descriptor: Descriptor, result: unknown): boolean {
    const connectorId = connector.id
    if (!this.wants(connectorId, descriptor)) return false
    const tool = String(descriptor['name'])
    const key = keyOf(connectorId, tool)
    const hash = hashDescriptor(descriptor)
    const before = this.#adapted.get(key)
    const isGeneric = before?.hash === hash
    const reason = findContradiction(isGeneric ? genericSchema : descriptor['outputSchema'], result)
    if (reason === null) {
      const count = this.#checks.get(key)?.hash === hash ? this.#checks.get(key)!.count : 0
      setBounded(this.#checks, key, { hash, count: count + 1 })
      return false
    }
    const exposed = isObject(result) && isObject(result['structuredContent']) ? 'generic' : 'none'
    const evicted = setBounded(this.#adapted, key, { connectorId, tool, hash, exposed, reason, at: new Date() })
    if (evicted !== undefined) this.#writer.add(evicted)
    this.#checks.delete(key)
    this.#writer.add({ connectorId, tool })
    this.#options.events.emit('tool.adapted', connector.name, { tool, reason })
    return true
  }

  /** The tool as clients may rely on it. A tool that its server describes anew is believed again. */
  adapt(connectorId: string, descriptor: Descriptor): AdaptedTool {
    const tool = String(descriptor['name'])
    const adapted = this.#adapted.get(keyOf(connectorId, tool))
    if (adapted === undefined) return { descriptor, status: null }
    if (adapted.hash !== hashDescriptor(descriptor)) {
      this.#forget(connectorId, tool)
      return { descriptor, status: null }
    }
    const { outputSchema: _, ...rest } = descriptor
    const status: SchemaStatus = {
      state: 'adapted',
      changes: [{ path: 'outputSchema', what: `${actions[adapted.exposed]}: ${adapted.reason}` }],
    }
    return { descriptor: adapted.exposed === 'none' ? rest : { ...rest, outputSchema: genericSchema }, status }
  }

  /** The connector is gone. */
  forget(connectorId: string): void {
    for (const row of this.#adapted.values()) {
      if (row.connectorId === connectorId) this.#forget(connectorId, row.tool)
    }
  }

  #forget(connectorId: string, tool: string): void {
    this.#adapted.delete(keyOf(connectorId, tool))
    this.#writer.add({ connectorId, tool })
  }

  // What is written is how things are now, so that a late write never brings back what was forgotten.
  async #write(connectorId: string, tool: string): Promise<void> {
    const row = this.#adapted.get(keyOf(connectorId, tool))
    if (row === undefined) await this.#options.store.remove(connectorId, tool)
    else await this.#options.store.save(row)
  }
}

const genericSchema = { type: 'object' }
const actions = { none: 'removed', generic: 'replaced by any object' } as const

function keyOf(connectorId: string, tool: string): string {
  return `${connectorId}\n${tool}`
}

/** Returns what had to make room. */
function setBounded<V>(map: Map<string, V>, key: string, value: V): V | undefined {
  // Set anew, a key becomes the youngest.
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxTools) return undefined
  const [oldest, evicted] = map.entries().next().value!
  map.delete(oldest)
  return evicted
}
