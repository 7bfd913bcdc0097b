import type { Cli } from './cli.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** Asks before something is changed, unless `--yes` was given. A program has to say `--yes`. */
export async function confirmChange(cli: Cli, yes: boolean | undefined, question: string): Promise<boolean> {
  if (yes) return true
  if (!cli.terminal.isInteractive) {
    throw new CliError(exitCodes.usage, 'Nothing was changed, because there is nobody to ask. Add --yes to go on.')
  }
  if (await cli.terminal.confirm(question)) return true
  cli.exitCode = exitCodes.failed
  cli.terminal.note('Nothing was changed.')
  return false
}
