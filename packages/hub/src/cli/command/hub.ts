import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HubStatus } from '@herma/contract'
import { Command } from 'commander'

import { findStateLockOwner } from '../../platform/file/state-lock.ts'
import type { Cli } from '../terminal/cli.ts'
import { connectHub } from '../hub/connect-hub.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { count, formatBytes, formatDuration } from '../terminal/format-quantity.ts'
import { formatFields } from '../terminal/format-table.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { openPage } from '../terminal/open-page.ts'
import { countCalls, parseGrace } from '../flag/parse-grace.ts'
import { showProgress } from '../terminal/show-progress.ts'

export function statusCommand(cli: Cli): Command {
  return new Command('status').description('show how the hub is doing').action(async () => {
    const { api } = await connectHub(cli)
    const status = await api.getStatus()
    cli.terminal.answer(status, () => describeStatus(status))
  })
}

function describeStatus(status: HubStatus): string {
  const { counts, store, collisions, leftOut } = status
  const uptime = formatDuration(Date.now() - Date.parse(status.startedAt))
  const offers = [
    count(counts.tools, 'tool'),
    count(counts.resources, 'resource'),
    count(counts.resourceTemplates, 'resource template'),
    count(counts.prompts, 'prompt'),
  ]
  return formatFields([
    ['Herma', `${status.version}, process ${status.processId}, running for ${uptime}`],
    ['Endpoint', status.endpoint],
    ['UI', status.ui],
    ['State home', status.stateHome],
    ['Store', `${store.kind}, ${store.healthy ? 'healthy' : 'not reachable'}`],
    ['Connectors', `${counts.connectors}, ${counts.ready} ready, ${counts.failed} failed`],
    ['Offers', offers.join(', ')],
    ...(leftOut.length === 0
      ? []
      : [
          ['Left out', leftOut.map(({ connector, problem }) => `${connector}: ${cleanText(problem)}`).join('\n')] as [
            string,
            string,
          ],
        ]),
    ['Connections', `${status.connections}, ${count(status.inFlight, 'call')} under way`],
    ['Memory', formatBytes(status.rssBytes)],
    ...(collisions.length === 0 ? [] : [['Collisions', `${collisions.length}, see herma tools`] as [string, string]]),
  ])
}

/** Signs a browser in as the operator. */
export function openCommand(cli: Cli): Command {
  return new Command('open')
    .description('open the web UI, signed in; the link works once and for a minute')
    .option('--no-browser', 'only print the link')
    .action(async (flags: { browser: boolean }) => {
      const { api } = await connectHub(cli)
      const link = await api.createOperatorLink()
      cli.terminal.answer(link, () => link.url)
      if (flags.browser && !cli.terminal.isMachine) openPage(cli, link.url)
    })
}

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
      const status = await hub.api.getStatus()
      await hub.api.stopHub(graceMs === undefined ? {} : { body: { graceMs } })
      let running = status.inFlight
      // A hub found through the state home is on this machine: only when it has let go of it may the next one start.
      const isRunning = cli.hubUrl === undefined ? () => hasStateHome(status) : () => answers(hub)
      const look = async () => {
        running = await hub.api.getStatus().then(
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
    await hub.api.getStatus()
    return true
  } catch (error) {
    // Any answer, even a refusal, comes from a hub that is still on its way out.
    return !(error instanceof CliError) || error.exitCode !== exitCodes.hubNotRunning
  }
}
