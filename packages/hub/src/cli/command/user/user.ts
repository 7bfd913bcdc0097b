import type { GrantView, Role, UserInput, UserPatch, UserSetup, UserView } from '@herma/contract'
import { Command, Option } from 'commander'

import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import { issuerCommand, providerCommand } from './identity-source.ts'

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

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('list the users')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listUsers()
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
function describeSignIn({ disabled, hasPassword, twoFactor, providers }: UserView): string {
  if (disabled) return 'nothing: disabled'
  const ways = [...(hasPassword ? [twoFactor ? 'password and code' : 'password'] : []), ...providers]
  return ways.length === 0 ? 'nothing yet' : ways.join(', ')
}

const roles = ['owner', 'admin', 'member', 'viewer'] as const

function addCommand(cli: Cli): Command {
  return new Command('add')
    .description('add a user, and print the code with which they set a password')
    .argument('<name>', 'to sign in with; the principal is user:NAME')
    .addOption(new Option('--role <role>', 'what the user may do; absent: member').choices([...roles]))
    .option('--email <address>', 'another name to sign in with, by which an identity provider finds the user, too')
    .action(async (name: string, { role, email }: { role?: Role; email?: string }) => {
      const { api } = await connectHub(cli)
      const input: UserInput = { name, ...(role ? { role } : {}), ...(email ? { email } : {}) }
      showSetup(cli, await api.addUser({ body: input }))
    })
}

interface EditFlags {
  role?: Role
  /** False for `--no-email`. */
  email?: string | false
  disable?: boolean
  enable?: boolean
}

function editCommand(cli: Cli): Command {
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
      const { api } = await connectHub(cli)
      const user = await api.updateUser({ name, body: patch })
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

function resetCommand(cli: Cli): Command {
  return new Command('reset')
    .description('forget password, second step, signed-in browsers and apps of a user, and print a new code')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      showSetup(cli, await api.resetUser({ name }))
    })
}

function removeCommand(cli: Cli): Command {
  return new Command('remove')
    .alias('rm')
    .description('remove a user with everything that was allowed in their name')
    .argument('<name>', 'name of the user')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      await api.removeUser({ name })
      cli.terminal.answer({ name, removed: true }, () => `Removed '${name}'.`)
    })
}

/** Shows how a user sets a password. The code stands alone on standard output, and nowhere else ever again. */
function showSetup({ terminal }: Cli, { user, setup }: UserSetup): void {
  terminal.answer({ user, setup }, () => setup.code)
  terminal.note(
    `Hand this code to ${user.name}: it works once, until ${setup.expiresAt}, and is not shown again.\n` +
      `With it, ${user.name} sets a password at ${setup.url}`,
  )
}

function grantsCommand(cli: Cli): Command {
  return new Command('grants').description('list which apps act in whose name').action(async () => {
    const { api } = await connectHub(cli)
    const answer = await api.listGrants()
    cli.terminal.answer(answer, () => describeGrants(cli, answer.grants))
  })
}

function revokeCommand(cli: Cli): Command {
  return new Command('revoke')
    .description('end what a user allowed an app; its tokens are refused from now on')
    .argument('<id>', 'id of the grant, from: herma user grants')
    .action(async (id: string) => {
      const { api } = await connectHub(cli)
      await api.revokeGrant({ id })
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
