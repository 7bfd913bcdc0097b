import type { Framework } from '../framework.ts'

/** What a run of tests came to. */
export interface TestReport {
  readonly framework: Framework
  /** The command line as it was run, for people. */
  readonly command: string
  /** Why this framework. */
  readonly because: string
  /** True when tests ran and none failed. */
  readonly ok: boolean
  /** Why it is not ok, in a sentence; null when it is. */
  readonly reason: string | null
  readonly counts: TestCounts
  /** The first ones; `counts.failed` says how many there are. */
  readonly failures: readonly TestFailure[]
  readonly durationMs: number
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly timedOut: boolean
  /** The end of what it printed, without colours. */
  readonly output: string
  /** True when `output` or `failures` are not all there was. */
  readonly truncated: boolean
}

export interface TestCounts {
  readonly total: number
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface TestFailure {
  readonly name: string
  /** Relative to the working directory. */
  readonly file?: string
  readonly line?: number
  readonly message: string
}
