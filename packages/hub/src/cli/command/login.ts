import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorView, CredentialsView, SignInStep } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { forEachConnector } from '../for-each-connector.ts'
import { count } from '../format-quantity.ts'
import { connectorPath, type HubClient } from '../hub-client.ts'
import { openPage } from '../open-page.ts'
import { showProgress } from '../show-progress.ts'

const lookEveryMs = 500

export function loginCommand(cli: Cli): Command {
  return new Command('login')
    .description('sign in to the server of a connector (OAuth); waits until it is done')
    .argument('<name>', 'name of the connector')
    .option('--open', 'open the page in the browser of this machine')
    .option('--as <principal>', 'sign in a key or client that cannot itself, for example key:ci')
    .action(async (name: string, { open, as: principal }: { open?: boolean; as?: string }) => {
      const hub = await connectHub(cli)
      const body = principal === undefined ? undefined : { principal }
      const begin = hub.send<SignInStep>('POST', connectorPath(name, '/sign-in'), body, { patient: true })
      const { url } = await showProgress(cli.terminal, `Asking '${name}' where to sign in`, begin)
      if (url !== null) {
        cli.terminal.note(`Sign in to '${name}' on this machine at:\n\n  ${url}\n`)
        if (open) openPage(cli, url)
        await showProgress(cli.terminal, 'Waiting for the sign-in', waitForSignIn(hub, name, principal))
      }
      const connector = await hub.send<ConnectorView>('GET', connectorPath(name))
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
        await hub.send('POST', connectorPath(name, '/sign-out'))
        return `Signed out of '${name}'. Sign in again: herma login ${name}`
      }),
    )
}

async function waitForSignIn(hub: HubClient, name: string, principal?: string): Promise<void> {
  const whose = principal === undefined ? '' : `?principal=${encodeURIComponent(principal)}`
  for (;;) {
    await sleep(lookEveryMs)
    const { signIn } = await hub.send<CredentialsView>('GET', connectorPath(name, `/credentials${whose}`))
    if (signIn?.state === 'waiting') continue
    if (signIn?.state === 'signed-in' && signIn.problem === null) return
    const why = signIn?.problem ?? `Nobody signed in to '${name}' in time.`
    throw new CliError(exitCodes.downstreamFailed, why, { code: 'SIGN_IN_FAILED' })
  }
}
