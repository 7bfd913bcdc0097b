import type { ServerPatch, ServerView } from '@herma/contract'
import { Command } from 'commander'
import { type Cli, connectHub } from '../../cli.ts'
import { serverPath } from './server-path.ts'

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'enable', enabled: true, done: 'Enabled' })
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'disable', enabled: false, done: 'Disabled' })
}

function switchCommand(cli: Cli, { word, enabled, done }: { word: string; enabled: boolean; done: string }): Command {
  return new Command(word)
    .description(enabled ? 'serve it again' : 'refuse its clients without forgetting it')
    .argument('<name>', 'name of the server')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const server = await hub.send<ServerView>('PATCH', serverPath(name), { enabled } satisfies ServerPatch)
      cli.terminal.answer(server, () => `${done} '${name}'.`)
    })
}
