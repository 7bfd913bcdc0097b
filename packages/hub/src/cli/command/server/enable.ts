import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { switchCommand } from '../switch-command.ts'
import { serverPath } from './server-path.ts'

const switched = {
  thing: 'server',
  on: 'serve it again',
  off: 'refuse its clients without forgetting it',
  pathOf: serverPath,
}

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, true)
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, false)
}
