import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { userPath } from './user-path.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove a user with everything that was allowed in their name')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', userPath(name))
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}
