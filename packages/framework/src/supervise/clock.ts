/** The time, so that tests need not wait for it. */
export interface Clock {
  /** Milliseconds that never go backwards. */
  now(): number
  /** Returns the function that calls it off. */
  after(ms: number, run: () => void): () => void
}

// A timer with a longer delay fires at once.
const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, Math.min(ms, longestTimerMs))
    return () => clearTimeout(timer)
  },
}
