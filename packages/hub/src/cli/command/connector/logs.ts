import type { LogLine } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import type { HubClient } from '../../hub/hub-client.ts'

const pollMs = 1000
const followWindow = 1000

export function logsCommand(cli: Cli): Command {
  return new Command('logs')
    .description("show what a connector's server wrote to standard error, and the hub's remarks")
    .argument('<name>', 'name of the connector')
    .option('-n, --lines <number>', 'how many lines', parseLines, 100)
    .option('-f, --follow', 'go on with new lines until interrupted')
    .action(async (name: string, flags: { lines: number; follow?: boolean }) => {
      const hub = await connectHub(cli)
      if (flags.follow) return follow(cli, hub, { name, count: flags.lines })
      const lines = await readLines(hub, name, flags.lines)
      cli.terminal.answer({ lines }, () =>
        lines.length === 0 ? `'${name}' has written nothing.` : lines.map(formatLine).join('\n'),
      )
    })
}

async function follow(cli: Cli, hub: HubClient, { name, count }: { name: string; count: number }): Promise<void> {
  const write = (lines: readonly LogLine[]) => {
    for (const line of lines) cli.terminal.print(cli.terminal.isMachine ? JSON.stringify(line) : formatLine(line))
  }
  let seen = await readLines(hub, name, followWindow)
  write(seen.slice(-count))
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    const current = await readLines(hub, name, followWindow)
    write(newLines(seen, current))
    seen = current
  }
}

async function readLines(hub: HubClient, name: string, limit: number): Promise<LogLine[]> {
  return (await hub.api.getConnectorLogs({ name, limit })).lines
}

function formatLine({ at, stream, text }: LogLine): string {
  return `${at} ${stream === 'hub' ? 'hub: ' : ''}${cleanText(text)}`
}

function parseLines(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 10_000) {
    throw new CliError(exitCodes.usage, `-n needs a number from 1 to 10000, not '${text}'.`)
  }
  return Number(text)
}

/**
 * The lines of a window that were not in the one before. Lines have no numbers and the hub forgets the oldest, so the
 * longest end of the old window with which the new one begins is what has been seen.
 */
export function newLines(before: readonly LogLine[], after: readonly LogLine[]): readonly LogLine[] {
  for (let dropped = 0; dropped <= before.length; dropped++) {
    const overlap = before.length - dropped
    if (overlap <= after.length && isSameRun(before, dropped, after)) return after.slice(overlap)
  }
  return after
}

function isSameRun(before: readonly LogLine[], from: number, after: readonly LogLine[]): boolean {
  for (let index = from; index < before.length; index++) {
    const [old, fresh] = [before[index], after[index - from]]
    if (old?.at !== fresh?.at || old?.text !== fresh?.text || old?.stream !== fresh?.stream) return false
  }
  return true
}
