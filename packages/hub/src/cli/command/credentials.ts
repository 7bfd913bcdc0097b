import type { CredentialHolder, CredentialsInput, CredentialsView } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { oneLine } from '../clean-text.ts'
import { collect } from '../connector-flags.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { formatFields, formatTable } from '../format-table.ts'
import { connectorPath } from '../hub-client.ts'
import { readNamedValues } from '../named-values.ts'

interface SetFlags {
  header?: string[]
  env?: string[]
  clearHeader?: string[]
  clearEnv?: string[]
}

export function credentialsCommand(cli: Cli): Command {
  return new Command('credentials')
    .description('your own credentials for servers where everybody has some (option credentials=personal)')
    .addHelpText('after', `\n${examples}`)
    .addCommand(showCommand(cli))
    .addCommand(setCommand(cli))
    .addCommand(clearCommand(cli))
    .addCommand(whoCommand(cli))
}

const examples = `Examples:
  herma edit tracker --option credentials=personal --personal-header X-Api-Key
  herma credentials set tracker --header X-Api-Key=@key.txt
  herma login tracker                 where it wants a sign-in instead
  herma credentials who tracker       who has some; names only`

function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('what you have for a server; values are never shown')
    .argument('<name>', 'name of the connector')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const view = await hub.send<CredentialsView>('GET', pathOf(name))
      cli.terminal.answer(view, () => describe(view))
    })
}

function setCommand(cli: Cli): Command {
  return new Command('set')
    .description('store values of your own; they are never shown again')
    .argument('<name>', 'name of the connector')
    .option('--header <K=V>', 'HTTP header; K=@FILE reads the value from a file, K=@- from standard input', collect)
    .option('--env <K=V>', 'environment variable of the process; K=@FILE and K=@- as above', collect)
    .option('--clear-header <name>', 'forget the value of a header', collect)
    .option('--clear-env <name>', 'forget the value of a variable', collect)
    .action(async (name: string, flags: SetFlags) => {
      const hub = await connectHub(cli)
      const input: CredentialsInput = {
        headers: await readValues(cli, '--header', flags.header, flags.clearHeader),
        env: await readValues(cli, '--env', flags.env, flags.clearEnv),
      }
      if (Object.keys({ ...input.headers, ...input.env }).length === 0) {
        const { values } = await hub.send<CredentialsView>('GET', pathOf(name))
        throw new CliError(exitCodes.usage, `Nothing to store. ${wanted(name, values)}`)
      }
      const view = await hub.send<CredentialsView>('PUT', pathOf(name), input)
      cli.terminal.answer(view, () => `Stored for '${view.connector}'.\n\n${describe(view)}`)
    })
}

function clearCommand(cli: Cli): Command {
  return new Command('clear')
    .description('forget your values and your sign-in, or those of somebody else')
    .argument('<name>', 'name of the connector')
    .option('--of <principal>', 'for example user:ann; for those who manage the hub')
    .action(async (name: string, { of }: { of?: string }) => {
      const hub = await connectHub(cli)
      await hub.send('DELETE', pathOf(name, of === undefined ? '' : `/principals/${encodeURIComponent(of)}`))
      cli.terminal.answer({ name, cleared: true }, () => `Forgot the credentials of ${of ?? 'yours'} for '${name}'.`)
    })
}

function whoCommand(cli: Cli): Command {
  return new Command('who')
    .description('who has credentials of its own for a server')
    .argument('<name>', 'name of the connector')
    .action(async (name: string) => {
      const hub = await connectHub(cli)
      const answer = await hub.send<{ principals: CredentialHolder[] }>('GET', pathOf(name, '/principals'))
      const rows = answer.principals.map((each) => [
        oneLine(each.principal),
        each.signedIn ? 'yes' : 'no',
        String(each.values),
      ])
      cli.terminal.answer(answer, () =>
        rows.length === 0
          ? `Nobody has credentials of its own for '${name}'.`
          : formatTable([['PRINCIPAL', 'SIGNED IN', 'VALUES'], ...rows], cli.terminal.columns),
      )
    })
}

function pathOf(name: string, rest = ''): string {
  return connectorPath(name, `/credentials${rest}`)
}

async function readValues(
  cli: Cli,
  flag: '--header' | '--env',
  pairs: readonly string[] = [],
  cleared: readonly string[] = [],
): Promise<Record<string, string | null>> {
  const given = await readNamedValues(flag, pairs, cli.terminal)
  return Object.fromEntries([
    ...cleared.map((name) => [name, null] as const),
    ...given.map(({ name, value }) => [name, value ?? ''] as const),
  ])
}

function wanted(name: string, values: CredentialsView['values']): string {
  if (values.length === 0) return `'${name}' wants no values of yours. Sign in with: herma login ${name}`
  const flags = values.map((value) => `${value.place === 'headers' ? '--header' : '--env'} ${value.name}=@FILE`)
  return `Give: herma credentials set ${name} ${flags.join(' ')}`
}

function describe(view: CredentialsView): string {
  const { signIn, values } = view
  const fields: [string, string][] = [
    ['Connector', view.connector],
    ['Of', oneLine(view.principal)],
    ['Signed in', signIn === null ? '' : signIn.state === 'signed-in' ? 'yes' : `no (${signIn.state})`],
    ['Values', values.map((value) => `${oneLine(value.name)}: ${value.stored ? 'stored' : 'not set'}`).join('\n')],
  ]
  return formatFields(fields.filter(([, value]) => value !== ''))
}
