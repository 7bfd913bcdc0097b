import type { UserSetup } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { showSetup } from './show-setup.ts'
import { userPath } from './user-path.ts'

export function resetCommand(cli: Cli): Command {
  return new Command('reset')
    .description('forget password, second step, signed-in browsers and apps of a user, and print a new code')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      showSetup(cli, await hub.send<UserSetup>('POST', userPath(name, '/reset')))
    })
}
