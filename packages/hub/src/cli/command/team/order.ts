import type { TeamView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { describeMembers } from './show.ts'
import { teamPath } from './team-path.ts'

export function orderCommand(cli: Cli): Command {
  return new Command('order')
    .description('put the members into another order: these first, then the others as they are')
    .argument('<team>', 'name of the team')
    .argument('<session...>', 'names of members')
    .action(async (name: string, first: string[]) => {
      const hub = await connectHub(cli)
      const { members } = await hub.send<TeamView>('GET', teamPath(name))
      const others = members
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ session }) => session)
        .filter((session) => !first.includes(session))
      const team = await hub.send<TeamView>('POST', teamPath(name, '/order'), { sessions: [...first, ...others] })
      cli.terminal.answer(team, () => describeMembers(team, cli.terminal))
    })
}
