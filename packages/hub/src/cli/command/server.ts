import type { ServerView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { addServerFlags, readServerFlags, type ServerFlags } from '../server-flags.ts'
import { addCommand } from './server/add.ts'
import { describeServer, describeServers } from './server/describe-server.ts'
import { disableCommand, enableCommand } from './server/enable.ts'
import { noteMissingView } from './server/note-missing-view.ts'
import { removeCommand } from './server/remove.ts'
import { serverPath } from './server/server-path.ts'
import { showCommand } from './server/show.ts'
import { toolsCommand } from './server/tools.ts'
import { testCommand } from './server/test.ts'

const facade = 'facade'

export function serverCommand(cli: Cli): Command {
  return addServerFlags(new Command('server'))
    .description('show the MCP servers that Herma serves, change one, add one, remove one')
    .argument('[name]', `name of a server; absent: all, or the ${facade} to change`)
    .addHelpText('after', `\n${examples}`)
    .addCommand(addCommand(cli))
    .addCommand(showCommand(cli))
    .addCommand(toolsCommand(cli))
    .addCommand(testCommand(cli))
    .addCommand(enableCommand(cli))
    .addCommand(disableCommand(cli))
    .addCommand(removeCommand(cli))
    .action(async (name: string | undefined, flags: ServerFlags) => {
      const hub = await connectHub(cli)
      const patch = readServerFlags(flags)
      const isChange = Object.keys(patch).length > 0
      if (name === undefined && !isChange) {
        const answer = await hub.send<{ servers: ServerView[] }>('GET', '/api/servers')
        return cli.terminal.answer(answer, () => describeServers(cli, answer.servers, hub.url))
      }
      const path = serverPath(name ?? facade)
      const server = await (isChange ? hub.send<ServerView>('PATCH', path, patch) : hub.send<ServerView>('GET', path))
      cli.terminal.answer({ servers: [server] }, () => describeServer(server, hub.url))
      await noteMissingView(cli, hub, patch)
    })
}

const examples = `Examples:
  herma server facade --mode search               three tools in place of a hundred
  herma server add reader --view read-only        another endpoint, with its own view
  herma server add mine --module ./server.js      a server of yours, alone at an endpoint of its own
  herma server show mine                          how it is, and where
  herma server test mine --tool echo --json '{"message": "hi"}'
  herma server remove mine --with-connector`
