import type { ToolDetail } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { describeTool } from './describe-tool.ts'
import { findToolPlace, toolPath } from './tool-place.ts'

export function acceptCommand(cli: Cli): Command {
  return new Command('accept')
    .description('keep the overrides of a tool although its server changed what they are about')
    .usage('SERVER TOOL [options]\n       herma catalog accept NAME [options]')
    .argument('<server>', 'name of its connector, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      const detail = await hub.send<ToolDetail>('POST', toolPath('overrides', place, '/accept'))
      cli.terminal.answer(detail, () => describeTool(detail, cli.terminal))
    })
}
