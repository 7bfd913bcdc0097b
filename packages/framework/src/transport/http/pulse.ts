const tickMs = 1000

/** Something that does a little now and then. */
export interface Beating {
  /** Called about once a second. */
  beat(): void
}

/** One timer for all streams and running requests, in place of one for each of them. */
export class Ticker {
  readonly #members = new Set<Beating>()
  #timer: NodeJS.Timeout | undefined

  get size(): number {
    return this.#members.size
  }

  add(member: Beating): void {
    this.#members.add(member)
    this.#timer ??= setInterval(() => this.#tick(), tickMs).unref()
  }

  delete(member: Beating): void {
    this.#members.delete(member)
  }

  #tick(): void {
    for (const member of this.#members) member.beat()
    if (this.#members.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
