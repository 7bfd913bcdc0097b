import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'

/** Somebody else who says who people are, as a group of commands. */
export interface IdentitySource<View> {
  readonly name: string
  readonly description: string
  readonly path: string
  /** What the removal of one means. */
  readonly removal: string
  readonly add: Command
  /** The list for people, from the answer of the hub. */
  describe(answer: View): string
}

/** Lists, adds and removes those of one kind. */
export function identitySourceCommand<View>(cli: Cli, source: IdentitySource<View>): Command {
  return new Command(source.name)
    .description(source.description)
    .addCommand(listCommand(cli, source), { isDefault: true })
    .addCommand(source.add)
    .addCommand(removeCommand(cli, source))
}

function listCommand<View>(cli: Cli, { path, describe }: IdentitySource<View>): Command {
  return new Command('list')
    .alias('ls')
    .description('list them')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<View>('GET', path)
      cli.terminal.answer(answer, () => describe(answer))
    })
}

function removeCommand<View>(cli: Cli, { name: noun, path, removal }: IdentitySource<View>): Command {
  return new Command('remove')
    .alias('rm')
    .description(removal)
    .argument('<name>', `name of the ${noun}`)
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', `${path}/${encodeURIComponent(name)}`)
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}
