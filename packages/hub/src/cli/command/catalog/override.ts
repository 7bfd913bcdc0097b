import type { ToolDetail, ToolOverride } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import { describeTool } from './describe-tool.ts'
import { addOverrideFlags, type OverrideFlags, readOverrideFlags } from './override-flags.ts'
import { findToolPlace, toolPath, type ToolPlace } from './tool-place.ts'

export function overrideCommand(cli: Cli): Command {
  return addOverrideFlags(new Command('override'))
    .description('say something about a tool in place of its server; it takes effect at once')
    .usage('SERVER TOOL [options]\n       herma catalog override NAME [options]')
    .argument('<server>', 'name of its connector, * and ? too, or the name that clients see')
    .argument('[tool]', 'its own name; * and ? too')
    .addHelpText(
      'after',
      `
Examples:
  herma catalog override files read_file --name read --description 'Reads a file of the project.'
  herma catalog override files 'delete_*' --disable
  herma catalog override read --clear name`,
    )
    .action(async (server: string, tool: string | undefined, flags: OverrideFlags) => {
      const change = await readOverrideFlags(flags, cli.terminal)
      if (Object.keys(change).length === 0) {
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma catalog override --help')
      }
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      const override = await hub.send<ToolOverride>('PATCH', toolPath('overrides', place), change)
      const detail = hasWildcard(place) ? null : await findDetail(hub, place)
      cli.terminal.answer({ ...place, override }, () => describeChange(cli, place, detail))
      if (detail === null && !hasWildcard(place)) {
        cli.terminal.note(`'${place.server}' has no tool '${place.tool}' now. What you said waits until it has.`)
      }
    })
}

function hasWildcard({ server, tool }: ToolPlace): boolean {
  return /[*?]/.test(server + tool)
}

async function findDetail(hub: HubClient, place: ToolPlace): Promise<ToolDetail | null> {
  try {
    return await hub.send<ToolDetail>('GET', toolPath('tools', place))
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notFound) return null
    throw error
  }
}

function describeChange({ terminal }: Cli, { server, tool }: ToolPlace, detail: ToolDetail | null): string {
  const changed = `Changed '${tool}' of '${server}'.`
  return detail === null
    ? `${changed} All of them: herma catalog overrides`
    : `${changed}\n\n${describeTool(detail, terminal)}`
}
