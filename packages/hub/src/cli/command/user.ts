import { Command } from 'commander'

import type { Cli } from '../cli.ts'
import { addCommand } from './user/add.ts'
import { editCommand } from './user/edit.ts'
import { grantsCommand, revokeCommand } from './user/grants.ts'
import { issuerCommand } from './user/issuer.ts'
import { listCommand } from './user/list.ts'
import { providerCommand } from './user/provider.ts'
import { removeCommand } from './user/remove.ts'
import { resetCommand } from './user/reset.ts'

/** In the order of `herma user --help`. */
const commands = [
  listCommand,
  addCommand,
  editCommand,
  resetCommand,
  removeCommand,
  grantsCommand,
  revokeCommand,
  providerCommand,
  issuerCommand,
]

/** People who sign in, what they allowed apps, and whom else the hub trusts. */
export function userCommand(cli: Cli): Command {
  const user = new Command('user')
    .description('people who sign in, what they allowed apps, and whom else the hub trusts')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) user.addCommand(create(cli), { isDefault: create === listCommand })
  return user
}

const examples = `Examples:
  herma user add ada --role admin      prints a code with which ada sets a password
  herma user edit ada --disable        ada is signed out everywhere, at once
  herma user grants                    which apps act in whose name
  herma user revoke ID                 one of them does so no more
  herma user provider add corp --issuer https://id.example.com --client-id herma --domain example.com --create`
