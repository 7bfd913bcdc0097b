import type { ToolDetail } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { describeTool } from './describe-tool.ts'
import { findToolPlace, toolPath } from './tool-place.ts'

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one tool: each field as its server has it, as it was overridden, as clients see it')
    .usage('SERVER TOOL [options]\n       herma catalog show NAME [options]')
    .argument('<server>', 'name of its connector, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const detail = await hub.send<ToolDetail>('GET', toolPath('tools', await findToolPlace(hub, server, tool)))
      cli.terminal.answer(detail, () => describeTool(detail, cli.terminal))
    })
}
