import { StaleRevision } from '../protocol/errors.ts'
import { checkPositive } from './check-positive.ts'
import { toJsonText } from './json-text.ts'
import { checkKey } from './key.ts'
import type { Store } from './store.ts'
import { createSweeper } from './sweeper.ts'

/** The bounds of a store in memory; all have defaults. */
export interface MemoryStoreOptions {
  readonly maxEntries?: number
  /** Of keys and values together, counted as characters of JSON. */
  readonly maxBytes?: number
  /** Milliseconds since 1970. */
  readonly clock?: () => number
}

/** A store in memory. */
export interface MemoryStore extends Store {
  /** How many entries are alive. */
  readonly size: number
}

interface Entry {
  readonly text: string
  readonly revision: number
  expiresAt: number
}

/**
 * Keeps connections and their state in this process, as copies.
 * At its caps it forgets the entry that was not saved or touched for the longest time, whether or not it is in use.
 */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  const { maxEntries = 100_000, maxBytes = 256 * 1024 * 1024, clock = Date.now } = options
  checkPositive('maxEntries', maxEntries)
  checkPositive('maxBytes', maxBytes)
  // The least recently saved or touched comes first.
  const entries = new Map<string, Entry>()
  let bytes = 0
  // One count for all keys, so that a revision of a deleted entry never fits its successor.
  let lastRevision = 0

  const remove = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    bytes -= sizeOf(key, entry.text)
  }
  const put = (key: string, entry: Entry) => {
    remove(key)
    entries.set(key, entry)
    bytes += sizeOf(key, entry.text)
  }
  const find = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expiresAt > clock()) return entry
    remove(key)
    return undefined
  }
  const sweep = () => {
    const now = clock()
    for (const [key, entry] of entries) if (entry.expiresAt <= now) remove(key)
    return entries.size
  }
  const evict = () => {
    for (const key of entries.keys()) {
      if (entries.size <= maxEntries && bytes <= maxBytes) return
      remove(key)
    }
  }
  const sweeper = createSweeper(sweep)

  return {
    get size() {
      return sweep()
    },
    async load(key) {
      const entry = find(key)
      return entry && { value: JSON.parse(entry.text), revision: entry.revision }
    },
    async save(key, value, { ttlMs, ifRevision }) {
      checkKey(key)
      checkPositive('ttlMs', ttlMs)
      const text = toJsonText(value)
      if (sizeOf(key, text) > maxBytes) {
        throw new RangeError(`The value has ${text.length} characters of JSON; the store keeps ${maxBytes} in all.`)
      }
      if (ifRevision !== undefined && ifRevision !== (find(key)?.revision ?? 0)) throw new StaleRevision(key)
      lastRevision += 1
      put(key, { text, revision: lastRevision, expiresAt: clock() + ttlMs })
      evict()
      sweeper.wake()
      return lastRevision
    },
    async touch(key, ttlMs) {
      checkPositive('ttlMs', ttlMs)
      const entry = find(key)
      if (entry === undefined) return false
      put(key, { ...entry, expiresAt: clock() + ttlMs })
      return true
    },
    async delete(key) {
      remove(key)
    },
  }
}

function sizeOf(key: string, text: string): number {
  return key.length + text.length
}
