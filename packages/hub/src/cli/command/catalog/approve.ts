import type { PinApproval, PinReview, PinView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { count } from '../../format-quantity.ts'
import type { HubClient } from '../../hub-client.ts'
import { confirmChange } from './confirm-change.ts'
import { describeReview } from './describe-review.ts'
import { dropAbsent } from './drop-absent.ts'
import { toolPath } from './tool-place.ts'

interface Flags {
  all?: boolean
  hash?: string
  gone?: boolean
  yes?: boolean
}

interface Wish {
  readonly server: string
  readonly tools: readonly string[]
  readonly flags: Flags
}

export function approveCommand(cli: Cli): Command {
  return new Command('approve')
    .description('approve tools as they were reviewed; what is shown is what is approved')
    .argument('<server>', 'name of the connector')
    .argument('[tool...]', 'own names of tools')
    .option('--all', 'every tool of the server that waits')
    .option('--hash <hash>', 'the one tool as it was reviewed before, without showing it again')
    .option('--gone', 'expect the tools no more that the server does not offer any more')
    .option('--yes', 'do not ask')
    .action(async (server: string, tools: string[], flags: Flags) => {
      const wish = { server, tools, flags }
      checkWish(wish)
      const hub = await connectHub(cli)
      if (flags.gone) return dropAbsent(cli, hub, { server, yes: flags.yes })
      const reviewed =
        flags.hash === undefined ? await reviewTools(cli, hub, wish) : [{ tool: tools[0]!, hash: flags.hash }]
      if (reviewed !== null) await approve(cli, hub, { server, reviewed })
    })
}

function checkWish({ tools, flags: { all, hash, gone } }: Wish): void {
  const ways = [tools.length > 0, all, gone].filter(Boolean)
  if (ways.length !== 1) {
    throw new CliError(exitCodes.usage, 'Name the tools, or say --all or --gone. See: herma catalog approve --help')
  }
  if (hash === undefined) return
  if (tools.length !== 1) throw new CliError(exitCodes.usage, '--hash is of one tool: name that one.')
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw new CliError(exitCodes.usage, '--hash needs the 64 characters that herma catalog review shows.')
  }
}

/** Shows what would be approved and asks. Null when it shall not be. */
async function reviewTools(cli: Cli, hub: HubClient, { server, tools, flags }: Wish): Promise<PinApproval[] | null> {
  const names = flags.all ? await listPending(hub, server) : [...new Set(tools)]
  const reviews: PinReview[] = []
  for (const tool of names) reviews.push(await hub.send<PinReview>('GET', toolPath('pins', { server, tool })))
  const waiting = reviews.filter(({ reason }) => reason !== null)
  if (waiting.length === 0) {
    cli.terminal.answer({ pins: [] }, () => `Nothing of this waits for approval at '${server}'.`)
    return null
  }
  if (!cli.terminal.isMachine) {
    cli.terminal.print(`${waiting.map((review) => describeReview(review, cli.terminal)).join('\n\n')}\n\n`)
  }
  if (!(await confirmChange(cli, flags.yes, `Approve ${count(waiting.length, 'tool')} like this?`))) return null
  return waiting.map(({ tool, hash }) => ({ tool, hash }))
}

async function listPending(hub: HubClient, server: string): Promise<string[]> {
  const query = new URLSearchParams({ server, pending: 'true' })
  const { pins } = await hub.send<{ pins: PinView[] }>('GET', `/api/catalog/pins?${query.toString()}`)
  return pins.map(({ tool }) => tool)
}

async function approve(
  cli: Cli,
  hub: HubClient,
  { server, reviewed }: { server: string; reviewed: readonly PinApproval[] },
): Promise<void> {
  try {
    const path = `/api/catalog/pins/${encodeURIComponent(server)}/approve`
    const answer = await hub.send<{ pins: PinView[] }>('POST', path, { tools: reviewed })
    cli.terminal.answer(answer, () => `Approved: ${answer.pins.map(({ tool }) => oneLine(tool)).join(', ')}`)
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'PIN_MOVED') throw error
    const message = `Nothing was approved. ${error.message} See: herma catalog pins --server ${server} --pending`
    throw new CliError(error.exitCode, message, { code: error.code, cause: error })
  }
}
