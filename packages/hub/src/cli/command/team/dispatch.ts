import type { DispatchSettings, TeamView } from '@herma/contract'
import { Argument, Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { collect } from '../../connector-flags.ts'
import { teamPath } from './team-path.ts'

interface Flags {
  /** False for `--no-allow`. */
  allow?: string[] | false
}

export function dispatchCommand(cli: Cli): Command {
  return new Command('dispatch')
    .description('whether clients may name a member and a tool of it themselves (team.dispatch); absent: show it')
    .argument('<team>', 'name of the team')
    .addArgument(new Argument('[switch]', 'on or off').choices(['on', 'off']))
    .option('--allow <glob>', 'tools of members that it may call; all of them are replaced', collect)
    .option('--no-allow', 'none any more')
    .addHelpText('after', `\nExample:\n  herma team dispatch alpha on --allow 'code.*' --allow review.changes`)
    .action(async (name: string, word: 'on' | 'off' | undefined, { allow }: Flags) => {
      const hub = await connectHub(cli)
      const { dispatch: stored } = await hub.send<TeamView>('GET', teamPath(name))
      const dispatch: DispatchSettings = {
        enabled: word === undefined ? stored.enabled : word === 'on',
        allow: allow === undefined ? stored.allow : allow === false ? [] : allow,
      }
      const isChange = word !== undefined || allow !== undefined
      const team = isChange ? await hub.send<TeamView>('PATCH', teamPath(name), { dispatch }) : { dispatch }
      cli.terminal.answer({ dispatch: team.dispatch }, () => describeDispatch(name, team.dispatch))
    })
}

function describeDispatch(name: string, { enabled, allow }: DispatchSettings): string {
  if (!enabled) return `team.dispatch is off. Switch it on: herma team dispatch ${name} on --allow GLOB`
  if (allow.length > 0) return `team.dispatch is on, for ${allow.join(', ')}.`
  return `team.dispatch is on, but may call nothing. Say what: herma team dispatch ${name} --allow GLOB`
}
