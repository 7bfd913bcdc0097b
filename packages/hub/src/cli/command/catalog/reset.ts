import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { findToolPlace, toolPath } from './tool-place.ts'

export function resetCommand(cli: Cli): Command {
  return new Command('reset')
    .description('take everything back that was said about a tool by hand')
    .usage('SERVER TOOL [options]\n       herma catalog reset NAME [options]')
    .argument('<server>', 'name of its connector as herma catalog overrides shows it, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      await hub.send('DELETE', toolPath('overrides', place))
      cli.terminal.answer(
        { ...place, reset: true },
        () => `'${place.tool}' of '${place.server}' has no override by hand any more.`,
      )
    })
}
