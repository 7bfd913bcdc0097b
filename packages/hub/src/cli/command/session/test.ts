import type { SessionTest } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { showProgress } from '../../show-progress.ts'
import { formatStages } from './format-stages.ts'
import { sessionPath } from './session-path.ts'

export function testCommand(cli: Cli): Command {
  return new Command('test')
    .description('try everything that a session needs; its provider is asked for one word')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const work = hub.send<SessionTest>('POST', sessionPath(name, '/test'), undefined, { patient: true })
      const test = await showProgress(cli.terminal, `Testing '${name}'`, work)
      if (!test.ok) cli.exitCode = exitCodes.downstreamFailed
      cli.terminal.answer(test, () => formatStages(test, cli.terminal))
    })
}
