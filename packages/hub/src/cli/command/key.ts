import type { ApiKeyInput, ApiKeyView, PrincipalLimits } from '@herma/contract'
import { Command, InvalidArgumentError, Option } from 'commander'

import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { formatFields, formatTable } from '../terminal/format-table.ts'

interface AddFlags {
  server?: string[]
  scope?: ('mcp' | 'mcp:read' | 'admin')[]
  role?: 'owner' | 'admin' | 'member' | 'viewer'
  expires?: string
  rate?: number
  concurrency?: number
}

/** API keys for programs that use served servers or the management API. */
export function keyCommand(cli: Cli): Command {
  return new Command('key')
    .description('API keys for clients that are not on this machine, or that shall be told apart')
    .addHelpText('after', `\n${examples}`)
    .addCommand(addCommand(cli))
    .addCommand(listCommand(cli))
    .addCommand(revokeCommand(cli))
}

const examples = `Examples:
  herma key add laptop --server facade --expires 90d   shown once; put it into an Authorization: Bearer header
  herma key add ci --scope mcp:read                    may list and read, and call tools that only read
  herma key revoke laptop                              from now on it opens nothing`

function addCommand(cli: Cli): Command {
  return new Command('add')
    .description('make a key; it is shown once')
    .argument('<name>', 'for people, and for rules: the principal is key:NAME')
    .option('--server <name...>', 'served servers that it is for; absent: all')
    .addOption(
      new Option('--scope <scope...>', 'mcp = use servers; mcp:read = read only; admin = the management API').choices([
        'mcp',
        'mcp:read',
        'admin',
      ]),
    )
    .addOption(new Option('--role <role>', 'what it may do at most').choices(['owner', 'admin', 'member', 'viewer']))
    .option('--expires <when>', 'in days (90d), hours (12h), or a time such as 2027-01-31T12:00:00Z', parseExpiry)
    .option('--rate <calls>', 'calls in a minute', parseCount)
    .option('--concurrency <calls>', 'calls at once', parseCount)
    .action(async (name: string, flags: AddFlags) => {
      const { api } = await connectHub(cli)
      const { limits } = await api.getAccessSettings()
      const made = await api.addKey({ body: readFlags(name, flags, limits) })
      cli.terminal.answer(made, () => `${made.key}\n`)
      cli.terminal.note(
        `Copy it now: it is not shown again. Clients send it as: Authorization: Bearer ${made.view.hint}…`,
      )
    })
}

function listCommand(cli: Cli): Command {
  return new Command('list')
    .alias('ls')
    .description('keys, without the keys themselves')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.listKeys()
      cli.terminal.answer(answer, () =>
        answer.keys.length === 0
          ? 'There is none yet. Make one with: herma key add NAME'
          : formatTable(
              [['NAME', 'BEGINS', 'ROLE', 'SERVERS', 'SCOPES', 'EXPIRES', 'LAST USED'], ...answer.keys.map(row)],
              cli.terminal.columns,
            ),
      )
    })
}

function row({ name, hint, role, servers, scopes, expiresAt, lastUsedAt }: ApiKeyView): string[] {
  return [
    name,
    `${hint}…`,
    role,
    servers?.join(' ') ?? 'all',
    scopes.join(' '),
    expiresAt ?? 'never',
    lastUsedAt ?? '-',
  ]
}

function revokeCommand(cli: Cli): Command {
  return new Command('revoke')
    .aliases(['remove', 'rm'])
    .description('refuse whoever uses it, from now on')
    .argument('<name>')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      await api.revokeKey({ name })
      cli.terminal.answer({ name, revoked: true }, () => formatFields([['Revoked', name]]))
    })
}

function readFlags(
  name: string,
  { server, scope, role, expires, rate, concurrency }: AddFlags,
  usual: PrincipalLimits,
): ApiKeyInput {
  const given = {
    ...(rate === undefined ? {} : { callsPerMinute: rate }),
    ...(concurrency === undefined ? {} : { concurrency }),
  }
  return {
    name,
    ...(server === undefined ? {} : { servers: server }),
    ...(scope === undefined ? {} : { scopes: scope }),
    ...(role === undefined ? {} : { role }),
    ...(expires === undefined ? {} : { expiresAt: expires }),
    // What is not given stays as it is for everybody.
    ...(Object.keys(given).length === 0 ? {} : { limits: { ...usual, ...given } }),
  }
}

function parseExpiry(text: string): string {
  const span = /^(\d{1,5})([dh])$/.exec(text)
  if (span !== null) {
    const hours = Number(span[1]) * (span[2] === 'd' ? 24 : 1)
    return new Date(Date.now() + hours * 3_600_000).toISOString()
  }
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError(`'${text}' is no time. Write 90d, 12h or an ISO time.`)
  return at.toISOString()
}

function parseCount(text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('Write a whole number above 0.')
  return count
}
