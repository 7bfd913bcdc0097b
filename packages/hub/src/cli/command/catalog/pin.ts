import type { PinApproval, PinReview, PinView, ToolFinding } from '@herma/contract'
import { Command } from 'commander'

import { makeVisible } from '../../../catalog/pin/index.ts'
import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { quoteWord } from '@herma/contract/plain'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { count } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { confirmChange } from '../../terminal/confirm-change.ts'
import { addedLines, describeDifferences } from './drift.ts'
import { describeFindings, findToolPlace } from './tool.ts'

interface PinsFlags {
  server?: string
  pending?: boolean
}

export function pinsCommand(cli: Cli): Command {
  return new Command('pins')
    .description('list which tools are as they were approved, and which wait for a person')
    .option('--server <name>', 'only those of one connector')
    .option('--pending', 'only those that wait')
    .action(async (flags: PinsFlags) => {
      const { api } = await connectHub(cli)
      const answer = await api.listPins({ server: flags.server, ...(flags.pending && { pending: true }) })
      cli.terminal.answer(answer, () => describePins(cli, answer.pins, flags))
    })
}

function describePins({ terminal }: Cli, pins: readonly PinView[], { pending }: PinsFlags): string {
  if (pins.length === 0) return pending ? 'Nothing waits for approval.' : 'No tools were seen so far. See: herma list'
  const rows = pins.map((pin) => [pin.connector, pin.tool, describePinState(pin), pin.risk ?? '-', pin.seenAt])
  const table = formatTable([['SERVER', 'TOOL', 'STATE', 'RISK', 'SEEN LIKE THIS SINCE'], ...rows], terminal.columns)
  const waiting = pins.find(({ reason }) => reason !== null)
  if (waiting === undefined) return table
  return `${table}\n\nLook at one that waits: herma catalog review ${waiting.connector} ${quoteWord(oneLine(waiting.tool))}`
}

/** For example `approved`, `blocked (changed)`, `approved, not offered now`. */
function describePinState({ state, reason, isOffered }: PinView): string {
  return `${state}${reason === null ? '' : ` (${reason})`}${isOffered ? '' : ', not offered now'}`
}

export function reviewCommand(cli: Cli): Command {
  return new Command('review')
    .description('show how a tool differs from what was approved, and what the scan finds in it')
    .usage('SERVER TOOL [options]\n       herma catalog review NAME [options]')
    .argument('<server>', 'name of its connector, or the name that clients see')
    .argument('[tool]', 'its own name')
    .action(async (server: string, tool: string | undefined) => {
      const hub = await connectHub(cli)
      const place = await findToolPlace(hub, server, tool)
      const review = await hub.api.reviewPin(place)
      cli.terminal.answer(review, () => {
        const text = describeReview(review, cli.terminal)
        if (review.reason === null) return text
        return `${text}\n\nApprove it: herma catalog approve ${review.connector} ${quoteWord(oneLine(review.tool))} --hash ${review.hash}`
      })
    })
}

interface ApproveFlags {
  all?: boolean
  hash?: string
  gone?: boolean
  yes?: boolean
}

interface Wish {
  readonly server: string
  readonly tools: readonly string[]
  readonly flags: ApproveFlags
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
    .action(async (server: string, tools: string[], flags: ApproveFlags) => {
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
  for (const tool of names) reviews.push(await hub.api.reviewPin({ server, tool }))
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
  const { pins } = await hub.api.listPins({ server, pending: true })
  return pins.map(({ tool }) => tool)
}

async function approve(
  cli: Cli,
  hub: HubClient,
  { server, reviewed }: { server: string; reviewed: PinApproval[] },
): Promise<void> {
  try {
    const answer = await hub.api.approvePins({ server, body: { tools: reviewed } })
    cli.terminal.answer(answer, () => `Approved: ${answer.pins.map(({ tool }) => oneLine(tool)).join(', ')}`)
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'PIN_MOVED') throw error
    const message = `Nothing was approved. ${error.message} See: herma catalog pins --server ${server} --pending`
    throw new CliError(error.exitCode, message, { code: error.code, cause: error })
  }
}

/** Says that the tools are not expected any more that a server does not offer now. */
async function dropAbsent(
  cli: Cli,
  hub: HubClient,
  { server, yes }: { server: string; yes: boolean | undefined },
): Promise<void> {
  const { pins } = await hub.api.listPins({ server })
  const absent = pins.filter(({ isOffered }) => !isOffered).map(({ tool }) => tool)
  if (absent.length === 0) {
    return cli.terminal.answer({ tools: [] }, () => `'${server}' offers every tool that was approved.`)
  }
  if (!cli.terminal.isMachine) cli.terminal.print(`Not offered now: ${nameTools(absent)}`)
  if (!(await confirmChange(cli, yes, `Expect ${count(absent.length, 'tool')} no more?`))) return
  const answer = await hub.api.dropAbsentPins({ server })
  cli.terminal.answer(answer, () => `Not expected any more: ${nameTools(answer.tools)}`)
}

function nameTools(tools: readonly string[]): string {
  return tools.length === 0 ? 'none' : tools.map(oneLine).join(', ')
}

export function scanCommand(cli: Cli): Command {
  return new Command('scan')
    .description('look for hidden characters, injected instructions and look-alike names; danger makes it fail')
    .action(async () => {
      const { api } = await connectHub(cli)
      const answer = await api.scanCatalog()
      if (answer.findings.some(({ severity }) => severity === 'danger')) cli.exitCode = exitCodes.failed
      cli.terminal.answer(answer, () => describeScan(cli, answer.findings))
    })
}

function describeScan({ terminal }: Cli, findings: readonly ToolFinding[]): string {
  if (findings.length === 0) return 'Nothing was found.'
  const byTool = new Map<string, ToolFinding[]>()
  for (const finding of findings) {
    const key = `${finding.connector} ${finding.tool}`
    byTool.set(key, [...(byTool.get(key) ?? []), finding])
  }
  return [...byTool]
    .map(([tool, found]) => `${terminal.style('bold', oneLine(tool))}\n${describeFindings(found, terminal)}`)
    .join('\n\n')
}

/** What a person needs to decide about a tool, with the difference to what was approved. */
function describeReview(review: PinReview, terminal: Terminal): string {
  const { findings } = review
  const facts: [string, string][] = [
    ['Tool', makeVisible(review.tool)],
    ['Server', review.connector],
    ['State', describePinState(review)],
    ['Approved', review.approvedAt === null ? 'never' : `${review.approvedAt} as ${review.approvedHash}`],
    ['Seen', `${review.seenAt} as ${review.hash}`],
  ]
  return [
    formatFields(facts),
    '',
    describeContent(review, terminal),
    ...(findings.length === 0 ? [] : ['', describeFindings(findings, terminal)]),
  ].join('\n')
}

function describeContent({ reason, approved, current, differences }: PinReview, terminal: Terminal): string {
  if (reason === null) return 'It is as it was approved.'
  if (current === null) return 'What it looks like is not stored any more. Approve it only if you trust its server.'
  if (approved !== null && differences.length > 0) return describeDifferences(differences, terminal)
  return Object.entries(current)
    .flatMap(([field, value]) => [terminal.style('bold', makeVisible(field)), ...addedLines(value, terminal)])
    .join('\n')
}
