import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { forEachConnector } from '../for-each-connector.ts'
import { connectorPath } from '../hub-client.ts'

export function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove connectors with their stored secrets')
    .argument('<name...>', 'names of connectors')
    .action((names: string[]) =>
      forEachConnector(cli, names, async (hub, name) => {
        await hub.send('DELETE', connectorPath(name))
        return `Removed '${name}'.`
      }),
    )
}
