import type { TeamPatch, TeamView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { collect } from '../../connector-flags.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { jsonInput, type JsonOption } from '../../json-option.ts'
import { clearFields } from '../session/clear-fields.ts'
import { readJsonFields } from '../session/read-json-fields.ts'
import { describeTeam } from './show.ts'
import { addTeamFlags, readTeamFlags, type TeamFlags } from './team-flags.ts'
import { teamPath } from './team-path.ts'

interface Flags extends TeamFlags {
  clear?: string[]
  json?: JsonOption
}

const clearable = {
  description: { description: '' },
  dir: { workingDir: null },
  paths: { hasPathPolicy: false, paths: { roots: [] } },
  rules: { routing: {} },
}

export function editCommand(cli: Cli): Command {
  return addTeamFlags(new Command('edit'))
    .description('change a team; it holds from the next call on')
    .argument('<team>', 'name of the team')
    .option('--clear <field>', `take one back: ${Object.keys(clearable).join(', ')}`, collect)
    .addOption(jsonInput('FIELDS'))
    .action(async (name: string, flags: Flags) => {
      const hub = await connectHub(cli)
      const stored = await hub.send<TeamView>('GET', teamPath(name))
      const given: TeamPatch = {
        ...readTeamFlags(flags, stored),
        ...(await readJsonFields(flags.json, cli.terminal)),
      }
      const patch = { ...given, ...clearFields(flags.clear ?? [], clearable, given) }
      if (Object.keys(patch).length === 0)
        throw new CliError(exitCodes.usage, 'Nothing to change. See: herma team edit --help')
      const team = await hub.send<TeamView>('PATCH', teamPath(name), patch)
      cli.terminal.answer(team, () => `Changed '${name}'.\n\n${describeTeam(team, hub.url, cli.terminal)}`)
    })
}
