import type { FragmentView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { exitCodes } from '../../exit-codes.ts'
import { describeFragments } from './describe-fragments.ts'

export function fragmentsCommand(cli: Cli): Command {
  return new Command('fragments')
    .description('list the files of the catalog in their order, with errors; one that is not used makes it fail')
    .option('--reload', 'read the files again first; they are watched, so this is rarely needed')
    .action(async (flags: { reload?: boolean }) => {
      const hub = await connectHub(cli)
      const answer = await (flags.reload
        ? hub.send<{ fragments: FragmentView[] }>('POST', '/api/catalog/fragments/reload')
        : hub.send<{ fragments: FragmentView[] }>('GET', '/api/catalog/fragments'))
      if (answer.fragments.some(({ isEnabled }) => !isEnabled)) cli.exitCode = exitCodes.failed
      cli.terminal.answer(answer, () => describeFragments(answer.fragments, cli.terminal))
    })
}
