import { setTimeout as sleep } from 'node:timers/promises'
import type { CredentialsInput, CredentialsView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { collect } from '../../flag/connector-flags.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { readNamedValues } from '../../flag/named-values.ts'
import { openPage } from '../../terminal/open-page.ts'
import { showProgress } from '../../terminal/show-progress.ts'
import { forEachConnector } from './connector.ts'

const lookEveryMs = 500

export function loginCommand(cli: Cli): Command {
  return new Command('login')
    .description('sign in to the server of a connector (OAuth); waits until it is done')
    .argument('<name>', 'name of the connector')
    .option('--open', 'open the page in the browser of this machine')
    .option('--as <principal>', 'sign in a key or client that cannot itself, for example key:ci')
    .action(async (name: string, { open, as: principal }: { open?: boolean; as?: string }) => {
      const hub = await connectHub(cli)
      const whose = principal === undefined ? {} : { body: { principal } }
      const begin = hub.api.signInToConnector({ name, ...whose }, { patient: true })
      const { url } = await showProgress(cli.terminal, `Asking '${name}' where to sign in`, begin)
      if (url !== null) {
        cli.terminal.note(`Sign in to '${name}' on this machine at:\n\n  ${url}\n`)
        if (open) openPage(cli, url)
        await showProgress(cli.terminal, 'Waiting for the sign-in', waitForSignIn(hub, name, principal))
      }
      const connector = await hub.api.getConnector({ name })
      const { counts, signIn } = connector
      cli.terminal.answer({ name: connector.name, signIn }, () =>
        counts.tools === 0
          ? `Signed in to '${name}'. Test it: herma test ${name}`
          : `Signed in to '${name}'. It offers ${count(counts.tools, 'tool')}. List them: herma tools ${name}`,
      )
    })
}

export function logoutCommand(cli: Cli): Command {
  return new Command('logout')
    .description('forget the sign-in to the servers of connectors')
    .argument('<name...>', 'names of connectors')
    .action((names: string[]) =>
      forEachConnector(cli, names, async (hub, name) => {
        await hub.api.signOutOfConnector({ name })
        return `Signed out of '${name}'. Sign in again: herma login ${name}`
      }),
    )
}

async function waitForSignIn(hub: HubClient, name: string, principal?: string): Promise<void> {
  for (;;) {
    await sleep(lookEveryMs)
    const { signIn } = await hub.api.getOwnCredentials({ name, principal })
    if (signIn?.state === 'waiting') continue
    if (signIn?.state === 'signed-in' && signIn.problem === null) return
    const why = signIn?.problem ?? `Nobody signed in to '${name}' in time.`
    throw new CliError(exitCodes.downstreamFailed, why, { code: 'SIGN_IN_FAILED' })
  }
}

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
      const { api } = await connectHub(cli)
      const view = await api.getOwnCredentials({ name })
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
      const { api } = await connectHub(cli)
      const input: CredentialsInput = {
        headers: await readValues(cli, '--header', flags.header, flags.clearHeader),
        env: await readValues(cli, '--env', flags.env, flags.clearEnv),
      }
      if (Object.keys({ ...input.headers, ...input.env }).length === 0) {
        const { values } = await api.getOwnCredentials({ name })
        throw new CliError(exitCodes.usage, `Nothing to store. ${wanted(name, values)}`)
      }
      const view = await api.setOwnCredentials({ name, body: input })
      cli.terminal.answer(view, () => `Stored for '${view.connector}'.\n\n${describe(view)}`)
    })
}

function clearCommand(cli: Cli): Command {
  return new Command('clear')
    .description('forget your values and your sign-in, or those of somebody else')
    .argument('<name>', 'name of the connector')
    .option('--of <principal>', 'for example user:ann; for those who manage the hub')
    .action(async (name: string, { of }: { of?: string }) => {
      const { api } = await connectHub(cli)
      await (of === undefined ? api.removeOwnCredentials({ name }) : api.removeCredentialsOf({ name, principal: of }))
      cli.terminal.answer({ name, cleared: true }, () => `Forgot the credentials of ${of ?? 'yours'} for '${name}'.`)
    })
}

function whoCommand(cli: Cli): Command {
  return new Command('who')
    .description('who has credentials of its own for a server')
    .argument('<name>', 'name of the connector')
    .action(async (name: string) => {
      const { api } = await connectHub(cli)
      const answer = await api.listCredentialHolders({ name })
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
