import { Command } from 'commander'
import { type Cli, connectHub } from '../cli.ts'

export interface Switched {
  /** What is switched, in a word: session, team, server. */
  readonly thing: string
  /** What each of the two does, for the help. */
  readonly on: string
  readonly off: string
  /** Where the management API has it. */
  pathOf(name: string): string
}

/** `enable` or `disable` of what has such a switch. */
export function switchCommand(cli: Cli, { thing, on, off, pathOf }: Switched, enabled: boolean): Command {
  return new Command(enabled ? 'enable' : 'disable')
    .description(enabled ? on : off)
    .argument(`<${thing}>`, `name of the ${thing}`)
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const view = await hub.send('PATCH', pathOf(name), { enabled })
      cli.terminal.answer(view, () => `${enabled ? 'Enabled' : 'Disabled'} '${name}'.`)
    })
}
