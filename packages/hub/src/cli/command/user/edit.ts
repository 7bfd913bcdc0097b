import type { Role, UserPatch, UserView } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatFields } from '../../format-table.ts'
import { roles } from './add.ts'
import { describeSignIn } from './list.ts'
import { userPath } from './user-path.ts'

interface EditFlags {
  role?: Role
  /** False for `--no-email`. */
  email?: string | false
  disable?: boolean
  enable?: boolean
}

export function editCommand(cli: Cli): Command {
  return new Command('edit')
    .description('change the role or address of a user, or whether they may sign in')
    .argument('<name>', 'name of the user')
    .addOption(new Option('--role <role>', 'what the user may do from now on').choices([...roles]))
    .option('--email <address>', 'another address')
    .option('--no-email', 'no address any more')
    .addOption(new Option('--disable', 'sign the user out everywhere and let them in no more').conflicts('enable'))
    .option('--enable', 'let the user in again')
    .action(async (name: string, flags: EditFlags) => {
      const patch = readPatch(flags)
      if (Object.keys(patch).length === 0)
        throw new CliError(exitCodes.usage, 'Say what to change: --role, --email, --disable or --enable.')
      const hub = await connectHub(cli)
      const user = await hub.send<UserView>('PATCH', userPath(name), patch)
      cli.terminal.answer(user, () => describeUser(user))
    })
}

function readPatch({ role, email, disable, enable }: EditFlags): UserPatch {
  return {
    ...(role === undefined ? {} : { role }),
    ...(email === undefined ? {} : { email: email === false ? null : email }),
    ...(disable || enable ? { disabled: disable === true } : {}),
  }
}

function describeUser(user: UserView): string {
  return formatFields([
    ['Name', user.name],
    ['Role', user.role],
    ['E-mail', user.email ?? '-'],
    ['Signs in with', describeSignIn(user)],
  ])
}
