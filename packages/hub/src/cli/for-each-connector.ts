import { type Cli, connectHub } from './cli.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { HubClient } from './hub-client.ts'

interface Outcome {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** Does the same to several connectors. One that fails does not stop the others, but decides the exit code. */
export async function forEachConnector(
  cli: Cli,
  names: readonly string[],
  act: (hub: HubClient, name: string) => Promise<string>,
): Promise<void> {
  const hub = await connectHub(cli)
  const outcomes: Outcome[] = []
  for (const name of new Set(names)) {
    try {
      outcomes.push({ name, ok: true, message: await act(hub, name) })
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode === exitCodes.hubNotRunning) throw error
      cli.exitCode = error.exitCode
      outcomes.push({ name, ok: false, message: error.message })
    }
  }
  if (cli.terminal.isMachine) return cli.terminal.answer({ connectors: outcomes }, () => '')
  for (const { ok, message } of outcomes) {
    if (ok) cli.terminal.print(message)
    else cli.terminal.note(message)
  }
}
