import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { secretPath } from './secret-path.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('forget a secret; one that connectors use is kept')
    .argument('<name>', 'name of the secret')
    .option('--force', 'forget it although connectors use it; they fail until there is one again')
    .action(async (name: string, { force }: { force?: boolean }) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', secretPath(name, force ? '?force=true' : ''))
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}
