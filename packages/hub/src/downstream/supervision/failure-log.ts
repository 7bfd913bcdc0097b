/** What is told of failures: the name of the event after `downstream.`, and its data. */
type Tell = (what: string, data: Record<string, unknown>) => void

/** The same failure again and again: how often, and since when. */
interface Run {
  readonly key: string
  readonly reason: string
  readonly since: number
  count: number
  told: number
}

/**
 * Tells of the failures of one link. The first of its kind is an event; those that follow and are the same are counted,
 * and told as one event when they reach ten, a hundred and so on, or when something else happens.
 */
export class FailureLog {
  readonly #report: Tell
  #run: Run | null = null

  constructor(tell: Tell) {
    this.#report = tell
  }

  /** True while the same failure repeats, so that attempts in between are no news. */
  get isRepeating(): boolean {
    return this.#run !== null && this.#run.count > 1
  }

  failed(state: string, reason: string): void {
    // Figures such as a number of milliseconds do not make it another failure.
    const key = `${state} ${reason.replaceAll(/\d+/g, '#')}`
    if (this.#run?.key !== key) {
      this.end()
      this.#run = { key, reason, since: Date.now(), count: 1, told: 1 }
      return this.#report(state, { reason })
    }
    this.#run.count++
    if (this.#run.count >= this.#run.told * 10) this.#summarise(this.#run)
  }

  /** Something else happened: what was only counted so far is told. */
  end(): void {
    const run = this.#run
    this.#run = null
    if (run !== null && run.count > run.told) this.#summarise(run)
  }

  #summarise(run: Run): void {
    run.told = run.count
    this.#report('repeated', { reason: run.reason, count: run.count, since: new Date(run.since).toISOString() })
  }
}
