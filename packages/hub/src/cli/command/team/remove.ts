import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { teamPath } from './team-path.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('forget a team; calls that wait are refused, its sessions stay')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', teamPath(name))
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}
