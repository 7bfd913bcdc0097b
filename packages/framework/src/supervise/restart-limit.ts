export interface RestartLimitOptions {
  readonly maxRestarts: number
  readonly withinMs: number
}

/** Counts restarts, as Erlang's restart intensity does: more than `maxRestarts` within `withinMs` are too many. */
export class RestartLimit {
  readonly #times: number[] = []
  constructor(readonly options: RestartLimitOptions) {}

  /** Returns which restart within the time this is; undefined when it is one too many. */
  count(now: number): number | undefined {
    const { maxRestarts, withinMs } = this.options
    this.#times.push(now)
    while ((this.#times[0] ?? now) <= now - withinMs) this.#times.shift()
    return this.#times.length > maxRestarts ? undefined : this.#times.length
  }
}
