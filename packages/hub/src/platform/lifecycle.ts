import type { Log } from './log.ts'

interface Stoppable {
  stop(): unknown
}

/** Stops what was started, the last first, whatever fails on the way. */
export class Lifecycle {
  /** Resolves when everything has stopped. */
  readonly stopped: Promise<void>
  readonly #log: Log
  readonly #stops: (() => unknown)[] = []
  #finish: () => void = () => undefined
  #stopping: Promise<void> | null = null

  constructor(log: Log) {
    this.#log = log
    this.stopped = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  /** What was added last is stopped first. */
  add(part: Stoppable | (() => unknown)): void {
    this.#stops.push(typeof part === 'function' ? part : () => part.stop())
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stopAll().finally(this.#finish))
  }

  async #stopAll(): Promise<void> {
    for (const stop of this.#stops.toReversed()) {
      try {
        await stop()
      } catch (error) {
        this.#log.error('a part did not stop cleanly', { error })
      }
    }
  }
}
