import { type KeyRing, keyIdOf } from './key-ring.ts'
import type { Renew, SealedPlace } from './sealed-place.ts'

export interface ResealReport {
  /** Values that do not open with any key, and stay as they are. */
  readonly unopened: number
  /** Data keys that no value needs any more. */
  readonly unused: string[]
}

/** A row that changes all the time is missed by some passes, but not by that many. */
const maxPasses = 20

/** Brings all values under the active data key. Throws when that takes too many passes; then it may be done again. */
export async function reseal(ring: KeyRing, places: readonly SealedPlace[]): Promise<ResealReport> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    const { renewed, unopened, needed } = await runPass(ring, places)
    // Only a pass that had nothing to do has seen that nothing is left.
    if (renewed === 0) return { unopened, unused: ring.ids.filter((id) => id !== ring.activeId && !needed.has(id)) }
  }
  throw new Error(`Values were still sealed with older keys after ${maxPasses} passes.`)
}

async function runPass(ring: KeyRing, places: readonly SealedPlace[]) {
  const seen = { renewed: 0, unopened: 0, needed: new Set<string>() }
  const renew: Renew = (sealed, context) => {
    try {
      const renewed = ring.renew(sealed, context)
      if (renewed !== null) seen.renewed++
      return renewed
    } catch {
      // Whoever uses the value is told what to do; here it only keeps its key from being removed.
      seen.unopened++
      seen.needed.add(keyIdOf(sealed))
      return null
    }
  }
  for (const place of places) {
    for (let after: string | null = null; ;) {
      after = await place.reseal(renew, after)
      if (after === null) break
    }
  }
  return seen
}
