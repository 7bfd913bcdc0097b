import { constants } from 'node:os'
import { Command, Option } from 'commander'

import { connectSnippets } from '@herma/contract/plain'
import type { Hub } from '../../hub.ts'
import { createLog, type LogLevel } from '../../platform/log.ts'
import type { Cli } from '../terminal/cli.ts'
import { CliError, exitCodes } from '../terminal/exit-codes.ts'
import { formatFields } from '../terminal/format-table.ts'
import { openHub } from '../hub/open-hub.ts'
import { defaultListen, isLoopback, type ListenAddress, parseListen } from '../flag/parse-listen.ts'
import { countCalls, parseGrace } from '../flag/parse-grace.ts'
import { showProgress } from '../terminal/show-progress.ts'
import { version } from '../mcp/version.ts'

interface Flags {
  listen: string
  logLevel: LogLevel
  grace: number
}

export function upCommand(cli: Cli): Command {
  return new Command('up')
    .description('start the hub and keep it running')
    .addOption(new Option('--listen <host:port>', 'where to listen').env('HERMA_LISTEN').default(defaultListen))
    .addOption(
      new Option('--log-level <level>', 'what is worth a line on standard error')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .option('--grace <seconds>', 'how long a stop waits for running calls', parseGrace, 30_000)
    .addHelpText(
      'after',
      `
Environment:
  HERMA_LISTEN       where to listen, when --listen is absent
  HERMA_CONFIG_HOME  what people edit; default ~/.config/herma
  HERMA_STATE_HOME   what the hub writes; default .state in the config home
  HERMA_KEY_FILE     file of the master key; default key in the state home
  HERMA_KEY_COMMAND  or a command that prints it, for example: pass show herma
  HERMA_HTTP         node: HTTP is read by node:http and undici alone; default fast
  DATABASE_URL       a PostgreSQL server instead of the embedded one`,
    )
    .action(async (flags: Flags) => {
      const address = parseListen(flags.listen)
      ignoreClosedOutput()
      const starting = start(cli, address, flags)
      const forgetSignals = stopOnSignal(cli, starting)
      try {
        const hub = await showProgress(cli.terminal, 'Starting', starting)
        const endpoint = new URL('/mcp', hub.url).href
        describeHub(cli, endpoint, address)
        await hub.stopped
        cli.terminal.note('Herma has stopped.')
      } finally {
        forgetSignals()
      }
    })
}

/** A reader that has gone (`npm start | tee log` and Ctrl-C) is no reason to end and leave the database behind. */
function ignoreClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.removeAllListeners('error')
    output.on('error', () => undefined)
  }
}

async function start({ terminal }: Cli, address: ListenAddress, { logLevel, grace }: Flags): Promise<Hub> {
  const onDrain = (running: number) => {
    const text = running === 0 ? 'No call is running any more.' : `Waiting for ${countCalls(running)} …`
    if (!terminal.rewrite(text)) terminal.note(text)
  }
  try {
    return await openHub(terminal.env, address, { log: createLog(logLevel), graceMs: grace, onDrain })
  } catch (error) {
    throw explainListen(error, address) ?? error
  }
}

/** Finds the system's word on the address in a chain of causes. */
function explainListen(error: unknown, { host, port }: ListenAddress): CliError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE') {
      const message = `Port ${port} on ${host} is in use. If it is a hub: herma status. Otherwise: herma up --listen ${host}:${port + 1}`
      return new CliError(exitCodes.failed, message, { code, cause: error })
    }
    if (code === 'EACCES' && (cause as NodeJS.ErrnoException).syscall === 'listen') {
      const message = `Port ${port} needs more rights. Take one above 1023: herma up --listen ${defaultListen}`
      return new CliError(exitCodes.failed, message, { code, cause: error })
    }
    if (code === 'EADDRNOTAVAIL') {
      const message = `This machine has no address ${host}. Try: herma up --listen ${defaultListen}`
      return new CliError(exitCodes.failed, message, { code, cause: error })
    }
  }
  return undefined
}

/** A signal while the hub starts waits for the start, so that no half-started process is left behind. */
function stopOnSignal(cli: Cli, starting: Promise<Hub>): () => void {
  let firstAt: number | null = null
  const stop = (signal: NodeJS.Signals) => {
    if (firstAt !== null) {
      // npm passes a Ctrl-C on that has arrived already, so that one of them comes twice.
      if (performance.now() - firstAt < echoMs) return
      // The person has asked twice, so nothing is waited for any more; the database is stopped by its watchdog.
      process.exit(128 + constants.signals[signal])
    }
    firstAt = performance.now()
    cli.terminal.note('Stopping once the running calls have ended. Once more to stop at once.')
    starting.then(stopHub, () => {
      // A start that failed is reported by the command itself, and there is nothing to stop.
    })
  }
  const stopHub = (hub: Hub) =>
    hub.stop().catch((error: unknown) => {
      cli.terminal.note(`The hub did not stop cleanly: ${(error as Error).message}`)
      process.exit(exitCodes.failed)
    })
  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const echoMs = 500

function describeHub({ terminal }: Cli, endpoint: string, { host }: ListenAddress): void {
  const connect = connectSnippets(endpoint)
  // `npm start` means a clone, where the command is not on the PATH.
  const command = process.env['npm_lifecycle_event'] === undefined ? 'herma' : 'npx herma'
  const ui = new URL('/', endpoint).href
  // Nothing here encrypts, and whoever is not on this machine has to say who they are.
  const others = `need a key (${command} key add NAME) or a user (${command} user add NAME), and TLS in front`
  const value = { version, processId: process.pid, endpoint, ui, connect }
  terminal.answer(value, () => {
    // What needs an explanation is left to the page and `herma server show`.
    const plain = connect.filter(({ client, note }) => note === undefined && client !== 'json')
    const clients = plain.map(({ title, file, text }): [string, string] => [
      `  ${title}`,
      file === undefined ? text : `in ${file}:\n${text}`,
    ])
    return [
      terminal.style('bold', `Herma ${version} is running.`),
      '',
      formatFields([
        ['Endpoint', terminal.style('bold', endpoint)],
        ['UI', `${ui} (signed in: ${command} open)`],
        ...(isLoopback(host) ? [] : [['Others', others] as const]),
      ]),
      '',
      'Connect a client:',
      formatFields(clients),
      '',
      'Add a server, in another shell:',
      `  ${command} add NAME URL`,
      `  ${command} add NAME -- CMD ARGS…`,
      '',
      `Stop with Ctrl-C or ${command} stop.`,
    ].join('\n')
  })
}
