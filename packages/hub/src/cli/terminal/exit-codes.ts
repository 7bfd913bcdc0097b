/** What the exit code of `herma` says; scripts may rely on it. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  hubNotRunning: 3,
  notFound: 4,
  downstreamFailed: 5,
  drift: 6,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodeHelp = `Exit codes:
  0  done
  1  failed
  2  wrong command, flag or value
  3  the hub is not running
  4  no such connector, server or tool
  5  a downstream or its test failed
  6  the live catalog is not the intended one (herma catalog verify --fail-on-drift)`

/** Ends the command with a message for a person and a code for a script. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  readonly code: string

  constructor(exitCode: ExitCode, message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CliError'
    this.exitCode = exitCode
    this.code = options.code ?? defaultCodes[exitCode]
  }
}

const defaultCodes: Record<ExitCode, string> = {
  0: 'OK',
  1: 'FAILED',
  2: 'USAGE',
  3: 'HUB_NOT_RUNNING',
  4: 'NOT_FOUND',
  5: 'DOWNSTREAM_FAILED',
  6: 'DRIFT',
}
