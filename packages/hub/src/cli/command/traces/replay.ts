import { readFile } from 'node:fs/promises'
import type { EventView, ServerView } from '@herma/contract'
import { Command } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { parseJsonObject } from '../../flag/json-option.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import type { HubClient } from '../../hub/hub-client.ts'
import { compareValues, type ValueDifference } from './compare.ts'

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
      '\nExit code 1 says that an answer differs. Secrets are not recorded: give the arguments of such a call with --arguments.',
    )
    .action(async (traceId: string | undefined, flags: Flags) => {
      if ((traceId === undefined) === (flags.file === undefined))
        throw new CliError(exitCodes.usage, 'Give the id of a trace, or --file with a replay file.')
      const hub = await connectHub(cli)
      const replayed =
        traceId === undefined ? await replayFile(hub, flags.file ?? '', flags) : await replayTrace(hub, traceId, flags)
      if (replayed.some(({ isSame }) => !isSame)) cli.exitCode = exitCodes.failed
      cli.terminal.answer({ replayed }, () => replayed.map((each) => describeReplayed(cli, each)).join('\n\n'))
    })
}

/** The hub sends the calls of a trace again itself. */
async function replayTrace(hub: HubClient, traceId: string, flags: Flags): Promise<Replayed[]> {
  const { events } = await hub.api.getTrace({ traceId })
  const { chosen, args } = chooseCalls(events.filter(isCall), flags)
  const changes = {
    ...(args !== undefined && { arguments: args }),
    ...(flags.server !== undefined && { server: flags.server }),
  }
  const replayed: Replayed[] = []
  for (const { spanId } of chosen) {
    const body = { ...changes, ...(spanId !== undefined && { spanId }) }
    const report = await hub.api.replayTrace({ traceId, body }, { patient: true })
    const { method, target, server, recorded, error } = report
    const before = recorded.error === undefined ? recorded.result : { error: recorded.error }
    const after = error === null ? report.result : { error }
    replayed.push(compare({ method, target: target ?? undefined, server, before, after }, flags))
  }
  return replayed
}

function isCall({ kind, method }: EventView): boolean {
  return kind === 'call.finished' && method !== undefined && method !== 'initialize' && method !== 'server/discover'
}

async function replayFile(hub: HubClient, file: string, flags: Flags): Promise<Replayed[]> {
  // Loaded here, because only this command reads such files.
  const { readReplay, sendAgain } = await import('./replay-file.ts')
  const { chosen, args } = chooseCalls(readReplay(await readHar(file), file), flags)
  const { servers } = await hub.api.listServers()
  const replayed: Replayed[] = []
  for (const entry of chosen) {
    const { method, target, params } = entry
    const server = findServer(servers, flags.server ?? entry.server)
    const sent = args === undefined ? entry : { ...entry, params: { ...params, arguments: args } }
    const after = await sendAgain(new URL(server.path, hub.url), sent)
    const before = entry.error === undefined ? entry.result : { error: entry.error }
    replayed.push(compare({ method, target, server: server.name, before, after }, flags))
  }
  return replayed
}

/** Those that are meant, and the arguments that they get in place of their own. */
function chooseCalls<Call>(calls: readonly Call[], flags: Flags) {
  const chosen = flags.call === undefined ? calls : calls.slice(flags.call - 1, flags.call)
  if (chosen.length === 0) {
    const which = flags.call === undefined ? '.' : `, none is number ${flags.call}.`
    throw new CliError(exitCodes.usage, `There are ${calls.length} calls${which}`)
  }
  if (flags.arguments === undefined) return { chosen, args: undefined }
  if (chosen.length > 1) {
    const text = `There are ${chosen.length} calls. Say for which the arguments are: --call NUMBER`
    throw new CliError(exitCodes.usage, text)
  }
  return { chosen, args: parseJsonObject(flags.arguments, 'The arguments') }
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

function compare(answers: Omit<Replayed, 'isSame' | 'differences'>, flags: Flags): Replayed {
  const differences = compareValues(answers.before, answers.after, { ignoresVolatile: flags.loose ?? false })
  return { ...answers, isSame: differences.length === 0, differences }
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
