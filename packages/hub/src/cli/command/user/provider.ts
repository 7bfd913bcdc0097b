import type { IdentityProviderInput, IdentityProviderView, Role } from '@herma/contract'
import { Command, Option } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatTable } from '../../format-table.ts'
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
  return new Command('provider')
    .description('identity providers (OpenID Connect) that people sign in with')
    .addCommand(listCommand(cli), { isDefault: true })
    .addCommand(addCommand(cli))
    .addCommand(removeCommand(cli))
}

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list them')
    .action(async () => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ providers: IdentityProviderView[] }>('GET', path)
      cli.terminal.answer(answer, () => describeProviders(cli, answer.providers))
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

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('sign nobody in with it any more; its users stay')
    .argument('<name>', 'name of the provider')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', `${path}/${encodeURIComponent(name)}`)
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
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
