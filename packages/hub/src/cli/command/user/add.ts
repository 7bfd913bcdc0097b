import type { Role, UserInput, UserSetup } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { showSetup } from './show-setup.ts'

export const roles = ['owner', 'admin', 'member', 'viewer'] as const

export function addCommand(cli: Cli): Command {
  return new Command('add')
    .description('add a user, and print the code with which they set a password')
    .argument('<name>', 'to sign in with; the principal is user:NAME')
    .addOption(new Option('--role <role>', 'what the user may do; absent: member').choices([...roles]))
    .option('--email <address>', 'another name to sign in with, by which an identity provider finds the user, too')
    .action(async (name: string, { role, email }: { role?: Role; email?: string }) => {
      const hub = await connectHub(cli)
      const input: UserInput = { name, ...(role ? { role } : {}), ...(email ? { email } : {}) }
      showSetup(cli, await hub.send<UserSetup>('POST', '/api/access/users', input))
    })
}
