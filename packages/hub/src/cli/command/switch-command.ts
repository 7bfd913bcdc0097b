import { Command } from 'commander'
import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import type { HubApi } from '../hub/hub-client.ts'

export interface Switched {
  /** What is switched, in a word: session, team, server. */
  readonly thing: string
  /** What each of the two does, for the help. */
  readonly on: string
  readonly off: string
  switch(api: HubApi, name: string, enabled: boolean): Promise<unknown>
}

/** `enable` or `disable` of what has such a switch. */
export function switchCommand(cli: Cli, switched: Switched, enabled: boolean): Command {
  const { thing, on, off } = switched
  return new Command(enabled ? 'enable' : 'disable')
    .description(enabled ? on : off)
    .argument(`<${thing}>`, `name of the ${thing}`)
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const view = await switched.switch(api, name, enabled)
      cli.terminal.answer(view, () => `${enabled ? 'Enabled' : 'Disabled'} '${name}'.`)
    })
}
