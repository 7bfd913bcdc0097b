import { readFile } from 'node:fs/promises'
import type { ServerView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import type { HubClient } from '../../hub-client.ts'
import { parseJsonObject } from '../../json-option.ts'
import { wholeNumber } from '../catalog/whole-number.ts'
import type { ValueDifference } from './compare-values.ts'
import type { ReplayEntry } from './read-replay.ts'
import { requestText } from './request-text.ts'

interface Flags {
  readonly server?: string
  readonly arguments?: string
  readonly file?: string
  readonly call?: number
  readonly loose?: boolean
}

interface Replayed {
  readonly method: string
  readonly target: string | undefined
  readonly server: string
  readonly isSame: boolean
  readonly differences: readonly ValueDifference[]
  readonly before: unknown
  readonly after: unknown
}

export function replayCommand(cli: Cli): Command {
  return new Command('replay')
    .description('send recorded calls again, and show how the answers differ')
    .argument('[trace]', 'id of a trace whose bodies were recorded')
    .option('--file <har>', 'take the calls from a file of herma traces export --format har')
    .option('--server <name>', 'send them to this served server; absent: the one that was asked')
    .option('--call <number>', 'only this one, the first is 1', wholeNumber('--call', 10_000))
    .option('--arguments <json>', 'other arguments for the tool')
    .option('--loose', 'pass over ids and times when comparing')
    .addHelpText(
      'after',
      '\nExit code 1 says that an answer differs. Secrets that were masked are sent masked: give them with --arguments.',
    )
    .action(async (traceId: string | undefined, flags: Flags) => {
      if ((traceId === undefined) === (flags.file === undefined))
        throw new CliError(exitCodes.usage, 'Give the id of a trace, or --file with a replay file.')
      const hub = await connectHub(cli)
      const entries = await chooseEntries(hub, traceId, flags)
      const { servers } = await hub.send<{ servers: ServerView[] }>('GET', '/api/servers')
      const replayed: Replayed[] = []
      for (const entry of entries) {
        const server = findServer(servers, flags.server ?? entry.server)
        replayed.push(await replay(new URL(server.path, hub.url), { ...entry, server: server.name }, flags))
      }
      if (replayed.some(({ isSame }) => !isSame)) cli.exitCode = exitCodes.failed
      cli.terminal.answer({ replayed }, () => replayed.map((each) => describeReplayed(cli, each)).join('\n\n'))
    })
}

async function chooseEntries(hub: HubClient, traceId: string | undefined, flags: Flags): Promise<ReplayEntry[]> {
  // Loaded here, because only this command reads such files.
  const { readReplay } = await import('./read-replay.ts')
  const entries =
    traceId === undefined
      ? readReplay(await readHar(flags.file ?? ''), flags.file ?? '')
      : readReplay(
          await requestText(new URL(`/api/traces/${encodeURIComponent(traceId)}/download?format=har`, hub.url)),
          `The trace ${traceId}`,
        )
  const chosen = flags.call === undefined ? entries : entries.slice(flags.call - 1, flags.call)
  if (chosen.length === 0)
    throw new CliError(exitCodes.usage, `There are ${entries.length} calls, none is number ${flags.call}.`)
  if (flags.arguments === undefined) return chosen
  if (chosen.length > 1)
    throw new CliError(
      exitCodes.usage,
      `There are ${chosen.length} calls. Say for which the arguments are: --call NUMBER`,
    )
  const args = parseJsonObject(flags.arguments, 'The arguments')
  return chosen.map((entry) => ({ ...entry, params: { ...entry.params, arguments: args } }))
}

async function readHar(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CliError(exitCodes.usage, `${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function findServer(servers: readonly ServerView[], name: string): ServerView {
  const found = servers.find((server) => server.name === name)
  if (found !== undefined) return found
  const known = servers.map((server) => server.name).join(', ')
  throw new CliError(exitCodes.notFound, `No server is named '${name}'. There are: ${known}. Choose one with --server.`)
}

async function replay(endpoint: URL, entry: ReplayEntry, flags: Flags): Promise<Replayed> {
  const [{ sendAgain }, { compareValues }] = await Promise.all([
    import('./send-again.ts'),
    import('./compare-values.ts'),
  ])
  const answer = await sendAgain(endpoint, entry)
  const { method, target, server } = entry
  const before = entry.error === undefined ? entry.result : { error: entry.error }
  const differences = compareValues(before, answer, { ignoresVolatile: flags.loose ?? false })
  return { method, target, server, isSame: differences.length === 0, differences, before, after: answer }
}

function describeReplayed({ terminal }: Cli, { method, target = '', server, isSame, differences }: Replayed): string {
  const head = terminal.style('bold', `${method} ${oneLine(target)} → ${server}`)
  if (isSame) return `${head}\nThe same answer.`
  const lines = differences.flatMap(({ path, before, after }) => [
    `  ${path || '(the whole answer)'}`,
    ...(before === undefined ? [] : [terminal.style('red', `  - ${oneLine(JSON.stringify(before))}`)]),
    ...(after === undefined ? [] : [terminal.style('green', `  + ${oneLine(JSON.stringify(after))}`)]),
  ])
  return `${head}\n${lines.join('\n')}`
}
