import type { ConnectorPatch } from '@herma/contract'
import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { forEachConnector } from '../for-each-connector.ts'
import { connectorPath } from '../hub-client.ts'

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'enable', enabled: true, done: 'Enabled' })
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'disable', enabled: false, done: 'Disabled' })
}

function switchCommand(cli: Cli, { word, enabled, done }: { word: string; enabled: boolean; done: string }): Command {
  return new Command(word)
    .description(enabled ? 'serve connectors again' : 'stop serving connectors without forgetting them')
    .argument('<name...>', 'names of connectors')
    .action((names: string[]) =>
      forEachConnector(cli, names, async (hub, name) => {
        await hub.send('PATCH', connectorPath(name), { enabled } satisfies ConnectorPatch)
        return `${done} '${name}'.`
      }),
    )
}
