import type { SecretKeysView } from '@herma/contract'
import type { KeyRing } from './key-ring.ts'
import type { StoredDataKey } from './store.ts'

/** The keys as they are shown: names and times. */
export function describeKeys(ring: KeyRing, stored: readonly StoredDataKey[], unopened: number): SecretKeysView {
  const { id: masterId } = ring.master
  const wraps = stored.flatMap((key) => key.wraps)
  const since = (id: string) => {
    const times = wraps.filter(({ masterKeyId }) => masterKeyId === id).map(({ createdAt }) => createdAt.getTime())
    return times.length === 0 ? null : new Date(Math.min(...times)).toISOString()
  }
  const next = findNext(stored, masterId)
  return {
    master: {
      id: masterId,
      source: ring.source.kind,
      since: since(masterId),
      next: next === null ? null : { id: next, since: since(next) },
    },
    dataKeys: stored.map(({ id, createdAt, retiredAt, wraps: own }) => ({
      id,
      state: !own.some(({ masterKeyId }) => masterKeyId === masterId)
        ? 'foreign'
        : id === ring.activeId
          ? 'active'
          : retiredAt === null
            ? 'resealing'
            : 'retired',
      createdAt: createdAt.toISOString(),
      retiredAt: retiredAt?.toISOString() ?? null,
    })),
    unopened,
  }
}

/** A master key that was prepared after the present one and is not in place yet. */
function findNext(stored: readonly StoredDataKey[], masterId: string): string | null {
  for (const { wraps } of stored) {
    const own = wraps.findIndex(({ masterKeyId }) => masterKeyId === masterId)
    const newest = wraps.at(-1)
    if (own !== -1 && newest !== undefined && newest.masterKeyId !== masterId) return newest.masterKeyId
  }
  return null
}
