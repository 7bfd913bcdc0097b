import { hash } from 'node:crypto'
import type { Principal } from '@herma/contract'
import { ExpiringMap } from '@herma/framework/wire'

const maxRemembered = 10_000
const maxMs = 60_000

/** Who was behind a token or cookie when it was last checked, so that most requests cost one lookup. */
export class RememberedPrincipals {
  // Keyed by hash, so that a dump of the memory holds no more tokens than it must.
  readonly #known = new ExpiringMap<Principal>(maxRemembered)
  #generation = 0

  get size(): number {
    return this.#known.size
  }

  get(credential: string, place = ''): Principal | undefined {
    return this.#known.get(keyOf(credential, place))
  }

  /** To be taken before a check begins: what is forgotten meanwhile must not be remembered by it. */
  get generation(): number {
    return this.#generation
  }

  remember(entry: {
    readonly credential: string
    readonly place?: string
    readonly principal: Principal
    readonly expiresAt: number
    readonly generation: number
  }): void {
    if (entry.generation !== this.#generation) return
    const until = Math.min(entry.expiresAt, Date.now() + maxMs)
    this.#known.set(keyOf(entry.credential, entry.place ?? ''), entry.principal, until)
  }

  forget(): void {
    this.#generation++
    this.#known.clear()
  }
}

function keyOf(credential: string, place: string): string {
  return `${hash('sha256', credential, 'base64')} ${place}`
}
