import type { SessionView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { sessionPath } from './session-path.ts'

export function enableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'enable', enabled: true, done: 'Enabled' })
}

export function disableCommand(cli: Cli): Command {
  return switchCommand(cli, { word: 'disable', enabled: false, done: 'Disabled' })
}

function switchCommand(cli: Cli, { word, enabled, done }: { word: string; enabled: boolean; done: string }): Command {
  return new Command(word)
    .description(enabled ? 'let a session work again' : 'let a session take no work, without forgetting it')
    .argument('<session>', 'name of the session')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const session = await hub.send<SessionView>('PATCH', sessionPath(name), { enabled })
      cli.terminal.answer(session, () => `${done} '${name}'.`)
    })
}
