import type { UserView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the users')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ users: UserView[] }>('GET', '/api/access/users')
      cli.terminal.answer(answer, () => describeUsers(cli, answer.users))
    })
}

function describeUsers({ terminal }: Cli, users: readonly UserView[]): string {
  if (users.length === 0) return 'There is none yet. Add one with: herma user add NAME'
  const rows = users.map((user) => [
    user.name,
    user.role,
    describeSignIn(user),
    user.lastSignInAt ?? 'never',
    user.email ?? '-',
  ])
  return formatTable([['NAME', 'ROLE', 'SIGNS IN WITH', 'LAST SIGN-IN', 'E-MAIL'], ...rows], terminal.columns)
}

/** How a user gets in, for people. */
export function describeSignIn({ disabled, hasPassword, twoFactor, providers }: UserView): string {
  if (disabled) return 'nothing: disabled'
  const ways = [...(hasPassword ? [twoFactor ? 'password and code' : 'password'] : []), ...providers]
  return ways.length === 0 ? 'nothing yet' : ways.join(', ')
}
