import type { LogLine } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../clean-text.ts'
import { type Cli, connectHub } from '../cli.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { connectorPath, type HubClient } from '../hub-client.ts'
import { newLines } from '../new-lines.ts'

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
  return (await hub.send<{ lines: LogLine[] }>('GET', connectorPath(name, `/logs?limit=${limit}`))).lines
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
