const tickMs = 1000

/** Something that a ticker calls. */
export interface Ticking {
  /** Called about once a second. */
  tick(): void
}

/** One timer for all streams and running requests, in place of one for each of them. */
export class Ticker {
  readonly #members = new Set<Ticking>()
  #timer: NodeJS.Timeout | undefined

  get size(): number {
    return this.#members.size
  }

  add(member: Ticking): void {
    this.#members.add(member)
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref()
  }

  delete(member: Ticking): void {
    this.#members.delete(member)
  }

  #tick(): void {
    for (const member of this.#members) member.tick()
    if (this.#members.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
