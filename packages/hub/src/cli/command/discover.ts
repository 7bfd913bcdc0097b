import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { clientsCommand } from './discover/clients.ts'
import { importCommand } from './discover/import.ts'
import { installCommand } from './discover/install.ts'
import { parseCommand } from './discover/parse.ts'
import { registryCommand } from './discover/registry.ts'
import { removeCommand } from './discover/remove.ts'
import { searchCommand } from './discover/search.ts'
import { showCommand } from './discover/show.ts'

/** In the order of `herma discover --help`. */
const commands = [
  searchCommand,
  showCommand,
  installCommand,
  removeCommand,
  clientsCommand,
  importCommand,
  parseCommand,
  registryCommand,
]

/** Finding servers, and bringing them here. */
export function discoverCommand(cli: Cli): Command {
  const discover = new Command('discover')
    .description('find servers: in registries, in the configurations of your clients, in what you paste')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) discover.addCommand(create(cli))
  return discover
}

const examples = `Examples:
  herma discover search github                              look in the registry
  herma discover show io.github.someone/weather             what it needs
  herma discover install io.github.someone/weather --plan   what would be done
  herma discover install io.github.someone/weather --value env:API_KEY=@key.txt
  herma discover clients                                    what your clients have
  herma discover import cursor github                       take one over
  pbpaste | herma discover parse -                          what would this be here?`
