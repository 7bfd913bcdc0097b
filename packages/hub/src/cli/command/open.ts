import type { OperatorLink } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { openPage } from '../open-page.ts'

/** Signs a browser in as the operator. */
export function openCommand(cli: Cli): Command {
  return new Command('open')
    .description('open the web UI, signed in; the link works once and for a minute')
    .option('--no-browser', 'only print the link')
    .action(async (flags: { browser: boolean }) => {
      const hub = await connectHub(cli)
      const link = await hub.send<OperatorLink>('POST', '/api/access/link')
      cli.terminal.answer(link, () => link.url)
      if (flags.browser && !cli.terminal.isMachine) openPage(cli, link.url)
    })
}
