import type { PathVerdict, TeamPathQuestion } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { describeVerdict } from '../session/path.ts'
import { teamPath } from './team-path.ts'

export function pathCommand(cli: Cli): Command {
  return new Command('path')
    .description('say whether the path policy of a team lets its members read or write a path, and why')
    .argument('<team>', 'name of the team')
    .argument('<path>', 'absolute, or relative to where the team works')
    .option('--cwd <dir>', 'as if a call worked there')
    .addHelpText('after', `\nExit code ${exitCodes.failed} when it is refused.`)
    .action(async (name: string, path: string, { cwd }: { cwd?: string }) => {
      const hub = await connectHub(cli)
      const question: TeamPathQuestion = { path, ...(cwd !== undefined && { cwd }) }
      const verdict = await hub.send<PathVerdict>('POST', teamPath(name, '/paths'), question)
      if (!verdict.allowed) cli.exitCode = exitCodes.failed
      cli.terminal.answer(verdict, () => describeVerdict(cli, verdict))
    })
}
