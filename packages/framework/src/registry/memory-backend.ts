import { memoryEventLog } from '../store/memory-event-log.ts'
import { memoryStore } from '../store/memory-store.ts'
import type { EventLog, Store } from '../store/store.ts'
import { memoryBus } from './memory-bus.ts'
import { memoryRegistry } from './memory-registry.ts'
import type { Bus, Registry } from './registry.ts'

/** Everything that processes which serve together share. */
export interface Backend {
  readonly registry: Registry
  readonly store: Store
  readonly bus: Bus
  readonly events: EventLog
}

/** A backend for the servers of one process. Nothing of it survives the process. */
export function memoryBackend(): Backend {
  return { registry: memoryRegistry(), store: memoryStore(), bus: memoryBus(), events: memoryEventLog() }
}
