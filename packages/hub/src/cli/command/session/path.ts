import type { PathQuestion, PathVerdict } from '@herma/contract'
import { Command } from 'commander'

import { cleanText, oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { sessionPath } from './session-path.ts'

export function pathCommand(cli: Cli): Command {
  return new Command('path')
    .description('say whether a session may read or write a path, and why')
    .argument('<session>', 'name of the session')
    .argument('<path>', 'absolute, or relative to where the session works')
    .option('--cwd <dir>', 'as if a call worked there')
    .addHelpText('after', `\nExit code ${exitCodes.failed} when it is refused.`)
    .action(async (name: string, path: string, { cwd }: { cwd?: string }) => {
      const hub = await connectHub(cli)
      const question: PathQuestion = { path, ...(cwd !== undefined && { cwd }) }
      const verdict = await hub.send<PathVerdict>('POST', sessionPath(name, '/paths'), question)
      if (!verdict.allowed) cli.exitCode = exitCodes.failed
      cli.terminal.answer(verdict, () => describeVerdict(cli, verdict))
    })
}

/** A verdict for people. */
export function describeVerdict({ terminal }: Cli, { allowed, writable, path, because }: PathVerdict): string {
  const verdict = !allowed
    ? terminal.style('red', 'Refused')
    : terminal.style('green', writable ? 'May be read and written' : 'May be read')
  return `${verdict}: ${oneLine(path)}\n${cleanText(because)}`
}
