import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { switchCommand } from '../switch-command.ts'
import { teamPath } from './team-path.ts'

const switched = {
  thing: 'team',
  on: 'let a team answer again',
  off: 'let a team answer nobody, without forgetting it',
  pathOf: teamPath,
}

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, true)
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, false)
}
