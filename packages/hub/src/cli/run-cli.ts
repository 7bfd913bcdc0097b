import { CommanderError } from 'commander'

import type { Cli } from './terminal/cli.ts'
import { CliError, exitCodes } from './terminal/exit-codes.ts'
import { createProgram, findCommand } from './program.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Runs one command line and returns its exit code. */
export async function runCli(words: readonly string[], terminal: Terminal): Promise<number> {
  const { own, trailing } = splitTrailing(words)
  const cli: Cli = { terminal, trailing, exitCode: exitCodes.ok, hubUrl: undefined, tokenFile: undefined }
  try {
    const program = await createProgram(cli, own)
    if (own.length === 0) program.help()
    await program.parseAsync([...own], { from: 'user' })
    return cli.exitCode
  } catch (error) {
    return report(error, terminal)
  }
}

/** The command of a stdio server or local agent follows `--`. Cut off here, because commander would not tell it from other words. */
function splitTrailing(words: readonly string[]): { own: readonly string[]; trailing: readonly string[] } {
  const end = words.indexOf('--')
  const command = findCommand(words)
  if (end < 0 || !['add', 'edit', 'session'].includes(command ?? '')) return { own: words, trailing: [] }
  return { own: words.slice(0, end), trailing: words.slice(end + 1) }
}

function report(error: unknown, terminal: Terminal): number {
  // Commander has already said what is wrong; help and version are no failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  const { code, message, exitCode } = describeError(error)
  if (terminal.isMachine) terminal.answer({ error: { code, message } }, () => '')
  else terminal.note(message)
  return exitCode
}

function describeError(error: unknown): { code: string; message: string; exitCode: number } {
  if (error instanceof CliError) return error
  if (!(error instanceof Error)) return { code: 'FAILED', message: String(error), exitCode: exitCodes.failed }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'FAILED'
  return { code, message: error.message, exitCode: exitCodes.failed }
}
