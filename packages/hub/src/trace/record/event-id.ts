import { randomInt } from 'node:crypto'

/**
 * Makes ids that sort by time: nanoseconds since 1970, of which the last three digits are this maker's own, so that
 * several hubs can write into one store. They are text, because a JavaScript number cannot hold them.
 */
export class EventIds {
  readonly #ends: readonly string[]
  #ms = 0
  #begin = '0'
  #count = 0

  constructor() {
    const own = String(randomInt(1000)).padStart(3, '0')
    // Made once: turning a number of that size into text takes longer than the rest of an id.
    this.#ends = Array.from({ length: 1000 }, (_, index) => String(index).padStart(3, '0') + own)
  }

  next(): string {
    const now = Date.now()
    if (now > this.#ms) this.#setTime(now)
    // A clock that stands still, or goes back, is lent the time that it lacks.
    else if (++this.#count === this.#ends.length) this.#setTime(this.#ms + 1)
    return this.#begin + this.#ends[this.#count]
  }

  #setTime(ms: number): void {
    this.#ms = ms
    this.#begin = String(ms)
    this.#count = 0
  }
}

/** The smallest id of this moment. */
export function idAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.trunc(ms))) * 1_000_000n)
}

/** When an event of this id was recorded, in milliseconds since 1970. */
export function timeOfId(id: string | bigint): number {
  return Number(BigInt(id) / 1_000_000n)
}
