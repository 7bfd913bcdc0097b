import { Command, Option } from 'commander'

import { createLog, type LogLevel } from '../../platform/log.ts'
import type { Cli } from '../terminal/cli.ts'
import { parseHubUrl } from '../hub/find-hub.ts'
import { createHubClient, type HubClient } from '../hub/hub-client.ts'
import { defaultListen, parseListen } from '../flag/parse-listen.ts'
import { findRunningHub } from '../stdio/hub/find-running-hub.ts'
import { defaultServer, servedPath } from '../stdio/served-path.ts'

interface Flags {
  server: string
  start: boolean
  listen: string
  logLevel: LogLevel
}

/** What a client that does not read standard error may leave unread. */
const unreadLogBytes = 1_048_576
const endMs = 500
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function stdioCommand(cli: Cli): Command {
  return new Command('stdio')
    .description('be an MCP server on standard input and output, for clients that launch their servers')
    .option('--server <name>', 'which server of the hub to be', defaultServer)
    .option('--no-start', 'only use a hub that runs; do not start one in this process')
    .addOption(
      new Option('--listen <host:port>', 'where a hub that it starts listens; when taken, on a free port')
        .env('HERMA_LISTEN')
        .default(defaultListen),
    )
    .addOption(
      new Option('--log-level <level>', 'what is worth a line on standard error')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('warn'),
    )
    .addHelpText(
      'after',
      `
Uses the running hub. Without one it starts a hub in its own process, which other clients then share; when that process
ends, another of them starts the next one.`,
    )
    .action(async (flags: Flags) => {
      // Standard output belongs to the client.
      cli.terminal.isMachine = false
      const listen = parseListen(flags.listen)
      if (cli.hubUrl !== undefined) parseHubUrl(cli.hubUrl)
      const path = await servedPath(flags.server, await findRunning(cli))
      const log = createLog(flags.logLevel, (line) => void (canLog() && process.stderr.write(line)))
      const mayStart = flags.start && cli.hubUrl === undefined
      const search = {
        hub: { url: cli.hubUrl, tokenFile: cli.tokenFile },
        env: cli.terminal.env,
        mayStart,
        listen,
        log,
      }
      if (process.stdin.isTTY) cli.terminal.note('Waiting for the messages of an MCP client. Ctrl-D ends it.')
      const { runBridge } = await import('../stdio/run-bridge.ts')
      const { signal: stopping, forget } = abortOnSignal()
      // A client that leaves is no reason to leave a hub behind; the bridge sees it and stops in order.
      process.stdout.removeAllListeners('error')
      process.stderr.on('error', () => undefined)
      try {
        await runBridge({ input: process.stdin, output: process.stdout }, { path, search, stopping })
      } finally {
        forget()
        // A client that is there but does not read would keep the process with what is still to be written.
        setTimeout(() => process.exit(), endMs).unref()
      }
    })
}

async function findRunning(cli: Cli): Promise<HubClient | null> {
  const url = await findRunningHub({ url: cli.hubUrl, tokenFile: cli.tokenFile }, cli.terminal.env)
  return url === null ? null : createHubClient(url)
}

function canLog(): boolean {
  return process.stderr.writableLength < unreadLogBytes
}

/** The first signal stops in order, the second at once. */
function abortOnSignal(): { signal: AbortSignal; forget(): void } {
  const stopping = new AbortController()
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
  }
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: stopping.signal,
    forget: () => {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
