import type { GrantView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'

export function grantsCommand(cli: Cli): Command {
  return new Command('grants').description('list which apps act in whose name').action(async () => {
    const hub = await connectHub(cli)
    const answer = await hub.send<{ grants: GrantView[] }>('GET', '/api/access/grants')
    cli.terminal.answer(answer, () => describeGrants(cli, answer.grants))
  })
}

export function revokeCommand(cli: Cli): Command {
  return new Command('revoke')
    .description('end what a user allowed an app; its tokens are refused from now on')
    .argument('<id>', 'id of the grant, from: herma user grants')
    .action(async (id: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', `/api/access/grants/${encodeURIComponent(id)}`)
      cli.terminal.answer({ id, revoked: true }, () => 'Revoked.')
    })
}

function describeGrants({ terminal }: Cli, grants: readonly GrantView[]): string {
  if (grants.length === 0) return 'Nobody has allowed an app anything.'
  const rows = grants.map(({ id, user, clientName, scopes, servers, updatedAt }) => [
    id,
    user,
    clientName,
    servers.join(', ') || '-',
    scopes.join(' '),
    updatedAt,
  ])
  return formatTable([['ID', 'USER', 'APP', 'SERVERS', 'SCOPES', 'SINCE'], ...rows], terminal.columns)
}
