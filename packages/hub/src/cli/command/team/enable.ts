import type { TeamView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { teamPath } from './team-path.ts'

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'enable', enabled: true, done: 'Enabled' })
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'disable', enabled: false, done: 'Disabled' })
}

function switchCommand(cli: Cli, { word, enabled, done }: { word: string; enabled: boolean; done: string }): Command {
  return new Command(word)
    .description(enabled ? 'let a team answer again' : 'let a team answer nobody, without forgetting it')
    .argument('<team>', 'name of the team')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const team = await hub.send<TeamView>('PATCH', teamPath(name), { enabled })
      cli.terminal.answer(team, () => `${done} '${name}'.`)
    })
}
