import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** What every command is given. */
export interface Cli {
  readonly terminal: Terminal
  /** Words after `--`: the command of a stdio server. */
  readonly trailing: readonly string[]
  /** Set by a command that has shown its failure itself. */
  exitCode: ExitCode
  /** Value of `--hub`. */
  hubUrl: string | undefined
  /** Value of `--token-file`. */
  tokenFile: string | undefined
}
