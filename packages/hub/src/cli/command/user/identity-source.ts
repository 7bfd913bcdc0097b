import type {
  IdentityProviderInput,
  IdentityProviderView,
  Role,
  Scope,
  TrustedIssuerInput,
  TrustedIssuerView,
} from '@herma/contract'
import { Command, Option } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { formatTable } from '../../terminal/format-table.ts'
import type { HubApi } from '../../hub/hub-client.ts'

interface ProviderFlags {
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
    removal: 'sign nobody in with it any more; its users stay',
    add: addProviderCommand(cli),
    list: (api) => api.listIdentityProviders(),
    remove: (api, name) => api.removeIdentityProvider({ name }),
    describe: ({ providers }) => describeProviders(cli, providers),
  })
}

function addProviderCommand(cli: Cli): Command {
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
    .action(async (name: string, flags: ProviderFlags) => {
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
      const { api } = await connectHub(cli)
      const provider = await api.addIdentityProvider({ body: input })
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

interface IssuerFlags {
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
    removal: 'refuse its tokens from now on',
    add: addIssuerCommand(cli),
    list: (api) => api.listTrustedIssuers(),
    remove: (api, name) => api.removeTrustedIssuer({ name }),
    describe: ({ issuers }) => describeIssuers(cli, issuers),
  })
}

function addIssuerCommand(cli: Cli): Command {
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
    .action(async (name: string, issuer: string, { audience, role, scope, introspectAs }: IssuerFlags) => {
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
      const { api } = await connectHub(cli)
      const added = await api.addTrustedIssuer({ body: input })
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

/** Somebody else who says who people are, as a group of commands. */
interface IdentitySource<View> {
  readonly name: string
  readonly description: string
  /** What the removal of one means. */
  readonly removal: string
  readonly add: Command
  list(api: HubApi): Promise<View>
  remove(api: HubApi, name: string): Promise<undefined>
  /** The list for people, from the answer of the hub. */
  describe(answer: View): string
}

/** Lists, adds and removes those of one kind. */
function identitySourceCommand<View>(cli: Cli, source: IdentitySource<View>): Command {
  return new Command(source.name)
    .description(source.description)
    .addCommand(listCommand(cli, source), { isDefault: true })
    .addCommand(source.add)
    .addCommand(removeCommand(cli, source))
}

function listCommand<View>(cli: Cli, { list, describe }: IdentitySource<View>): Command {
  return new Command('list')
    .alias('ls')
    .description('list them')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await list(api)
      cli.terminal.answer(answer, () => describe(answer))
    })
}

function removeCommand<View>(cli: Cli, { name: noun, remove, removal }: IdentitySource<View>): Command {
  return new Command('remove')
    .alias('rm')
    .description(removal)
    .argument('<name>', `name of the ${noun}`)
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      await remove(api, name)
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

const limitBytes = 8192

/** Asks for a secret, or takes it from standard input: on the command line it would stand in the list of processes. */
async function readClientSecret({ terminal }: Cli): Promise<string> {
  const given = terminal.isInteractive
    ? await terminal.askHidden('Client secret (it is not shown): ')
    : await terminal.readInput(limitBytes)
  const secret = given.replace(/\r?\n$/, '')
  if (secret !== '') return secret
  throw new CliError(exitCodes.usage, 'The client secret is missing. Type it when asked, or send it to standard input.')
}
