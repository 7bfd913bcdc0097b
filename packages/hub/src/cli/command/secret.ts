import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { generateCommand } from './secret/generate.ts'
import { keysCommand } from './secret/keys.ts'
import { listCommand } from './secret/list.ts'
import { removeCommand } from './secret/remove.ts'
import { rotateCommand } from './secret/rotate.ts'
import { setCommand } from './secret/set.ts'

/** In the order of `herma secret --help`. */
const commands = [listCommand, setCommand, generateCommand, removeCommand, rotateCommand, keysCommand]

export function secretCommand(cli: Cli): Command {
  const secret = new Command('secret')
    .description('store values that connectors refer to with {secret:NAME}, and rotate the keys that seal them')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) secret.addCommand(create(cli))
  return secret
}

const examples = `Examples:
  herma secret set GITHUB                                  asks for the value without showing it
  pass show github | herma secret set GITHUB               or takes it from standard input
  herma edit docs --header 'Authorization=Bearer {secret:GITHUB}'
  herma secret rotate                                      another data key, every value sealed anew`
