import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { sessionPath } from './session-path.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('forget a session with its threads and bindings; its files and its key stay')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', sessionPath(name))
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}
