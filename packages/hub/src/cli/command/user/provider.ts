import type { IdentityProviderInput, IdentityProviderView, Role } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
import { identitySourceCommand } from './identity-source.ts'
import { readClientSecret } from './read-client-secret.ts'

const path = '/api/access/providers'

interface AddFlags {
  issuer: string
  clientId: string
  label?: string
  domain?: string[]
  create?: boolean
  role?: Exclude<Role, 'owner'>
}

/** Identity providers (OpenID Connect) that people sign in with. */
export function providerCommand(cli: Cli): Command {
  return identitySourceCommand<{ providers: IdentityProviderView[] }>(cli, {
    name: 'provider',
    description: 'identity providers (OpenID Connect) that people sign in with',
    path,
    removal: 'sign nobody in with it any more; its users stay',
    add: addCommand(cli),
    describe: ({ providers }) => describeProviders(cli, providers),
  })
}

function addCommand(cli: Cli): Command {
  return new Command('add')
    .description(
      'sign people in with an identity provider; the client secret is asked for, or comes from standard input',
    )
    .argument('<name>', 'part of the redirect URI to register there: /auth/callback/NAME')
    .requiredOption('--issuer <url>', 'as the provider spells itself')
    .requiredOption('--client-id <id>', 'as which client the hub is registered there')
    .option('--label <text>', 'text of the button; absent: the name')
    .option('--domain <domain...>', 'domains of addresses that may sign in; absent: any')
    .option('--create', 'make users of people who sign in for the first time; needs --domain')
    .addOption(new Option('--role <role>', 'role of such users; absent: member').choices(['admin', 'member', 'viewer']))
    .action(async (name: string, flags: AddFlags) => {
      const { issuer, clientId, label = name, domain = [], create = false, role = 'member' } = flags
      const clientSecret = await readClientSecret(cli)
      const input: IdentityProviderInput = {
        name,
        label,
        issuer,
        clientId,
        clientSecret,
        domains: domain,
        createUsers: create,
        role,
      }
      const hub = await connectHub(cli)
      const provider = await hub.send<IdentityProviderView>('POST', path, input)
      cli.terminal.answer(provider, () => `Added '${name}'. Register there as redirect URI: ${provider.callbackUrl}`)
    })
}

function describeProviders({ terminal }: Cli, providers: readonly IdentityProviderView[]): string {
  if (providers.length === 0) return 'There is none. Add one with: herma user provider add NAME'
  const rows = providers.map(({ name, issuer, domains, createUsers, role, problem }) => [
    name,
    issuer,
    domains.join(', ') || 'any',
    problem ?? (createUsers ? `as ${role}` : 'no'),
  ])
  return formatTable([['NAME', 'ISSUER', 'DOMAINS', 'MAKES USERS'], ...rows], terminal.columns)
}
