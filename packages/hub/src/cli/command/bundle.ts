import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { installCommand } from './bundle/install.ts'
import { listCommand } from './bundle/list.ts'
import { removeCommand } from './bundle/remove.ts'
import { showCommand } from './bundle/show.ts'

/** In the order of `herma bundle --help`. */
const commands = [listCommand, showCommand, installCommand, removeCommand]

/** Connectors and tools that come and go as one. */
export function bundleCommand(cli: Cli): Command {
  const bundle = new Command('bundle')
    .description('connectors and tools that are installed and removed as one')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) bundle.addCommand(create(cli), { isDefault: create === listCommand })
  return bundle
}

const examples = `Examples:
  herma bundle                                          which there are
  herma bundle show starter                             what it brings and needs
  herma bundle install starter --value folder=$HOME/notes
  herma bundle install ./my-bundle                      a folder of your own
  herma bundle remove starter`
