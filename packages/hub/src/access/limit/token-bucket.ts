/** Credit for one; a rate of so many per minute earns so much per millisecond. Whole numbers, so nothing is rounded. */
const price = 60_000

/** How often something may happen: so many at once, then at a steady rate. Times are milliseconds of one clock. */
export class TokenBucket {
  #perMinute: number
  #capacity: number
  #credit: number
  #at: number

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute
    this.#capacity = capacityOf(perMinute)
    this.#credit = this.#capacity
    this.#at = now
  }

  /** Takes one, or says how long to wait until there is one. */
  take(now: number): number {
    this.#refill(now)
    if (this.#credit < price) return Math.ceil((price - this.#credit) / this.#perMinute)
    this.#credit -= price
    return 0
  }

  isFull(now: number): boolean {
    this.#refill(now)
    return this.#credit >= this.#capacity
  }

  /** Another rate from now on. Nobody gains by a change: what was used up stays used up. */
  change(perMinute: number, now: number): void {
    this.#refill(now)
    const used = this.#capacity - this.#credit
    this.#perMinute = perMinute
    this.#capacity = capacityOf(perMinute)
    this.#credit = Math.max(0, this.#capacity - used)
  }

  #refill(now: number): void {
    // A clock that is set back must not take credit away.
    const passedMs = Math.max(0, now - this.#at)
    this.#at = now
    this.#credit = Math.min(this.#capacity, this.#credit + passedMs * this.#perMinute)
  }
}

/** A tenth of a minute's worth comes at once: agents call in bursts. */
function capacityOf(perMinute: number): number {
  return Math.ceil(perMinute / 10) * price
}
