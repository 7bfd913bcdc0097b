import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HubStatus } from '@herma/contract'
import { Command } from 'commander'

import { findStateLockOwner } from '../../platform/file/state-lock.ts'
import { type Cli, connectHub } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { HubClient } from '../hub-client.ts'
import { countCalls, parseGrace } from '../parse-grace.ts'
import { showProgress } from '../show-progress.ts'

/** What everything besides the running calls may take. */
const limitMs = 60_000
const defaultGraceMs = 30_000
const pollMs = 100

export function stopCommand(cli: Cli): Command {
  return new Command('stop')
    .description('stop the hub once its running calls have ended')
    .option('--grace <seconds>', 'how long to wait for them; as `herma up` was told, or 30', parseGrace)
    .action(async ({ grace: graceMs }: { grace?: number }) => {
      const hub = await connectHub(cli)
      const status = await hub.send<HubStatus>('GET', '/api/status')
      await hub.send('POST', '/api/stop', graceMs === undefined ? undefined : { graceMs })
      let running = status.inFlight
      // A hub found through the state home is on this machine: only when it has let go of it may the next one start.
      const isRunning = cli.hubUrl === undefined ? () => hasStateHome(status) : () => answers(hub)
      const look = async () => {
        running = await hub.send<HubStatus>('GET', '/api/status').then(
          ({ inFlight }) => inFlight,
          () => 0,
        )
      }
      const said = () => (running === 0 ? 'Stopping' : `Stopping after ${countCalls(running)}`)
      await showProgress(cli.terminal, said, waitForEnd(isRunning, look, graceMs ?? defaultGraceMs))
      cli.terminal.answer({ stopped: true }, () => 'Herma has stopped.')
    })
}

async function waitForEnd(
  isRunning: () => Promise<boolean>,
  look: () => Promise<void>,
  graceMs: number,
): Promise<void> {
  const allowedMs = limitMs + graceMs
  const deadline = Date.now() + allowedMs
  while (await isRunning()) {
    if (Date.now() > deadline) {
      throw new CliError(exitCodes.failed, `The hub is still there after ${allowedMs / 1000} s. See its log.`)
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    await look()
  }
}

/** The process may go on and start the next hub, as `herma stdio` does, so the time of the start counts too. */
async function hasStateHome({ stateHome, processId, startedAt }: HubStatus): Promise<boolean> {
  if ((await findStateLockOwner(stateHome)) !== processId) return false
  const next = await readFile(join(stateHome, 'hub.json'), 'utf8').catch(() => '')
  return next === '' || next.includes(JSON.stringify(startedAt))
}

async function answers(hub: HubClient): Promise<boolean> {
  try {
    await hub.send('GET', '/api/status')
    return true
  } catch (error) {
    // Any answer, even a refusal, comes from a hub that is still on its way out.
    return !(error instanceof CliError) || error.exitCode !== exitCodes.hubNotRunning
  }
}
