import type { Role, Scope, TrustedIssuerInput, TrustedIssuerView } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { identitySourceCommand } from './identity-source.ts'
import { readClientSecret } from './read-client-secret.ts'

const path = '/api/access/issuers'

interface AddFlags {
  audience?: string
  role?: Exclude<Role, 'owner'>
  scope?: Scope[]
  introspectAs?: string
}

/** Other authorization servers whose access tokens count. */
export function issuerCommand(cli: Cli): Command {
  return identitySourceCommand<{ issuers: TrustedIssuerView[] }>(cli, {
    name: 'issuer',
    description: 'other authorization servers whose access tokens count',
    path,
    removal: 'refuse its tokens from now on',
    add: addCommand(cli),
    describe: ({ issuers }) => describeIssuers(cli, issuers),
  })
}

function addCommand(cli: Cli): Command {
  return new Command('add')
    .description('trust the access tokens of another authorization server')
    .argument('<name>', 'for people')
    .argument('<url>', 'the issuer, as it spells itself')
    .option('--audience <text>', 'what its tokens say in aud; absent: the URL of the server')
    .addOption(
      new Option('--role <role>', 'role of whoever has one; absent: member').choices(['admin', 'member', 'viewer']),
    )
    .addOption(
      new Option('--scope <scope...>', "what tokens may do that carry none of Herma's scopes; absent: mcp").choices([
        'mcp',
        'mcp:read',
        'admin',
      ]),
    )
    .option(
      '--introspect-as <client id>',
      'ask it about opaque tokens; the client secret is asked for, or comes from standard input',
    )
    .action(async (name: string, issuer: string, { audience, role, scope, introspectAs }: AddFlags) => {
      const input: TrustedIssuerInput = {
        name,
        issuer,
        ...(audience === undefined ? {} : { audience }),
        ...(role === undefined ? {} : { role }),
        ...(scope === undefined ? {} : { scopes: scope }),
        ...(introspectAs === undefined
          ? {}
          : { introspection: { clientId: introspectAs, clientSecret: await readClientSecret(cli) } }),
      }
      const hub = await connectHub(cli)
      const added = await hub.send<TrustedIssuerView>('POST', path, input)
      cli.terminal.answer(added, () => `Tokens of ${added.issuer} count from now on, with the role ${added.role}.`)
    })
}

function describeIssuers({ terminal }: Cli, issuers: readonly TrustedIssuerView[]): string {
  if (issuers.length === 0) return 'There is none. Add one with: herma user issuer add NAME URL'
  const rows = issuers.map(({ name, role, scopes, audience, issuer, problem }) => [
    name,
    role,
    scopes.join(' '),
    audience ?? 'the server',
    problem ?? issuer,
  ])
  return formatTable([['NAME', 'ROLE', 'SCOPES', 'AUDIENCE', 'ISSUER'], ...rows], terminal.columns)
}
