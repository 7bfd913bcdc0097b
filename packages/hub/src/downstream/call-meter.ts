/** Weight of the newest call in the mean latency. */
const latencyWeight = 0.2

/** Counts the calls of a downstream and remembers its last error. */
export class CallMeter {
  callCount = 0
  errorCount = 0
  lastError: { at: string; message: string } | null = null
  #latencyMs: number | null = null

  /** Exponentially weighted mean. */
  get latencyMs(): number | null {
    return this.#latencyMs === null ? null : Math.round(this.#latencyMs * 100) / 100
  }

  count(milliseconds: number): void {
    this.callCount++
    const mean = this.#latencyMs
    this.#latencyMs = mean === null ? milliseconds : mean + latencyWeight * (milliseconds - mean)
  }

  remember(message: string): void {
    this.lastError = { at: new Date().toISOString(), message }
  }
}
