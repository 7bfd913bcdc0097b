import type { Command } from 'commander'
import type { Cli } from '../../cli.ts'
import { switchCommand } from '../switch-command.ts'
import { sessionPath } from './session-path.ts'

const switched = {
  thing: 'session',
  on: 'let a session work again',
  off: 'let a session take no work, without forgetting it',
  pathOf: sessionPath,
}

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, true)
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, switched, false)
}
