/** Clients of one kind. */
export interface Crowd {
  readonly name: string
  readonly size: number
  /** Checked answers that each of them has got by now, at least. */
  leastRounds(): Promise<number>
  /** Those that cannot stand a request that fails make none until `go`. */
  pause(): Promise<void>
  go(): void
  stop(): Promise<CrowdReport>
  kill(): void
}

export interface CrowdReport {
  /** Answers that were checked. */
  readonly calls: number
  /** Calls that failed while the hub was away, and were made again by the same client. */
  readonly failed: number
  /** Answers to something else than was asked. */
  readonly wrong: number
  /** Clients that would have had to be started again. */
  readonly broken: number
  readonly notes: readonly unknown[]
}
