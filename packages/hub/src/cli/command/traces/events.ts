import { writeFile } from 'node:fs/promises'
import { EventFilter, type EventPage, type EventView, TraceFormat } from '@herma/contract'
import { Command, Option } from 'commander'

import { oneLine } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { formatBytes } from '../../terminal/format-quantity.ts'
import { formatTable } from '../../terminal/format-table.ts'
import { apiPath } from '../../hub/hub-client.ts'
import { refuseProblem, requestText } from '../../hub/request-text.ts'
import { sendRequest } from '../../hub/send-request.ts'

interface ListFlags extends FilterFlags {
  readonly limit: number
  readonly cursor?: string
}

export function listCommand(cli: Cli): Command {
  return eventsCommand(cli, { name: 'list', operation: 'listTraces', empty: 'No event matches.' }).description(
    'list events, newest first; without --kind, calls',
  )
}

interface EventList {
  readonly name: string
  readonly operation: 'listTraces' | 'listAudit'
  readonly empty: string
}

/** Lists events of one place of the API. */
function eventsCommand(cli: Cli, { name, operation, empty }: EventList): Command {
  return addFilterFlags(new Command(name))
    .option('-n, --limit <number>', 'at most so many', wholeNumber('--limit', 1000), 50)
    .option('--cursor <cursor>', 'go on where the page before ended')
    .action(async (flags: ListFlags) => {
      const filter = readFilterFlags(name === 'list' ? { kind: 'call.finished', ...flags } : flags)
      const { api } = await connectHub(cli)
      const page = await api[operation]({ ...filter, limit: flags.limit, cursor: flags.cursor })
      cli.terminal.answer(page, () => describePage(cli, page, empty))
    })
}

function describePage({ terminal }: Cli, { events, next }: EventPage, empty: string): string {
  if (events.length === 0) return empty
  const table = formatTable([eventHeads, ...events.map(describeEvent)], terminal.columns)
  return next === null ? table : `${table}\n\nMore: --cursor ${next}`
}

export function auditCommand(cli: Cli): Command {
  return eventsCommand(cli, { name: 'audit', operation: 'listAudit', empty: 'The audit log has nothing that matches.' })
    .description('show who changed what, who signed in, and what was refused, newest first')
    .addHelpText('after', `\n${examples}`)
}

const examples = `Examples:
  herma audit --since 7d                       what changed this week
  herma audit --kind 'access.refused'          who was kept out
  herma audit --principal user:ada --json      everything that ada did`

const maxEventBytes = 16_777_216
const reconnectMs = 1000

export function tailCommand(cli: Cli): Command {
  return addFilterFlags(new Command('tail'))
    .description('show events as they happen, until interrupted')
    .option('-n, --limit <number>', 'stop after so many', wholeNumber('--limit', 1_000_000))
    .action(async (flags: FilterFlags & { limit?: number }) => {
      const hub = await connectHub(cli)
      const url = new URL(apiPath('tailTraces', readFilterFlags(flags)), hub.url)
      let left = flags.limit ?? Infinity
      while (left > 0) {
        left = await follow(cli, url, left)
        // The hub ends a stream now and then, to see whether we may still listen.
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
    })
}

/** Shows events until the stream ends or enough were shown; returns how many are left. */
async function follow(cli: Cli, url: URL, limit: number): Promise<number> {
  const answer = await sendRequest(url, { method: 'GET', headers: { accept: 'text/event-stream' } })
  await refuseProblem(answer)
  // Loaded here, because only this command reads streams of the API.
  const { SseParser } = await import('../../../wire/index.ts')
  let left = limit
  const parser = new SseParser(({ type, data }) => {
    if (data.length === 0 || left <= 0) return
    const value: unknown = JSON.parse(data.toString('utf8'))
    if (type === 'skipped') cli.terminal.note(`(${(value as { count: number }).count} events skipped)`)
    else if (left-- > 0) show(cli, value as EventView)
  }, maxEventBytes)
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    parser.push(chunk)
    if (left <= 0) break
  }
  answer.destroy()
  return left
}

function show({ terminal }: Cli, event: EventView): void {
  if (terminal.isMachine) return terminal.print(JSON.stringify(event))
  const { at, kind, outcome = '', ms, principal = '-' } = event
  const server = event.server ?? event.connector ?? '-'
  const duration = ms === undefined ? '' : `${formatMs(ms)} ms`
  const words = [at, kind, outcome, duration, server, describeWhat(event), principal, event.traceId ?? '']
  terminal.print(words.filter((word) => word !== '').join('  '))
}

interface ExportFlags extends FilterFlags {
  readonly format: TraceFormat
  readonly output?: string
}

export function exportCommand(cli: Cli): Command {
  return addFilterFlags(new Command('export'))
    .description('write a trace, or all events that match, as a file for another tool')
    .argument('[trace]', 'id of a trace; absent: the newest 10,000 events that match the flags')
    .addOption(new Option('-f, --format <format>', 'the form').choices(TraceFormat.options).default('json'))
    .option('-o, --output <file>', 'where it goes; absent: standard output')
    .addHelpText('after', `\n${formats}`)
    .action(async (traceId: string | undefined, flags: ExportFlags) => {
      const { format } = flags
      const path =
        traceId === undefined
          ? apiPath('downloadTraces', { ...readFilterFlags(flags), format })
          : apiPath('downloadTrace', { traceId, format })
      const hub = await connectHub(cli)
      const text = await requestText(new URL(path, hub.url))
      if (flags.output === undefined) return cli.terminal.printForeign(text)
      // Recorded bodies may be nobody else's business.
      await writeFile(flags.output, text, { mode: 0o600 })
      const size = Buffer.byteLength(text)
      cli.terminal.answer({ file: flags.output, bytes: size }, () => `Wrote ${flags.output} (${formatBytes(size)}).`)
    })
}

const formats = `Forms:
  json              the events as they are stored
  codex             a session file of Codex (JSON lines)
  claude            a transcript of Claude Code (JSON lines)
  gemini            contents of the Gemini API
  openai            messages of the chat completions API
  openai-responses  items of the responses API
  otlp              spans for an OpenTelemetry collector
  har               requests and answers, for herma traces replay --file

Arguments and results are in it when the server's capture level was bodies: herma traces capture`

interface FilterFlags {
  readonly since?: string
  readonly from?: string
  readonly to?: string
  readonly kind?: string
  readonly principal?: string
  readonly server?: string
  readonly connector?: string
  readonly session?: string
  readonly thread?: string
  readonly route?: string
  readonly transport?: string
  readonly era?: string
  readonly method?: string
  readonly target?: string
  readonly outcome?: string
  readonly minMs?: string
  readonly text?: string
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Which events are meant. */
function addFilterFlags(command: Command): Command {
  return command
    .option('--since <time>', 'recorded within this time: 30s, 10m, 2h, 7d')
    .option('--from <time>', 'recorded at this time or later, for example 2026-11-16T06:00:00Z')
    .option('--to <time>', 'recorded before this time')
    .option('--kind <kinds>', 'kinds of events, separated by commas; call.* = all that begin so')
    .option('--principal <id>', 'who asked: operator, user:NAME, key:NAME, client:ID')
    .option('--server <name>', 'the served server that was asked')
    .option('--connector <name>', 'the connector that did the work')
    .option('--session <id>', 'agent session')
    .option('--thread <id>', 'thread of a session')
    .option('--route <route>', 'which way the work went: mcp:stdio, mcp:stream, own …')
    .option('--transport <name>', 'how the client reached the hub: stream, sse, rpc')
    .option('--era <era>', 'legacy or modern')
    .option('--method <name>', 'MCP method, for example tools/call')
    .option('--target <name>', 'tool, prompt or resource')
    .option('--outcome <outcomes>', 'ok, tool-error, error, cancelled, refused; several separated by commas')
    .option('--min-ms <number>', 'took at least so many milliseconds')
    .option('--text <words>', 'words in the data or the target')
}

/** The flags as fields of a query of the API. */
function readFilterFlags({ since, ...flags }: FilterFlags): EventFilter {
  if (since !== undefined && flags.from !== undefined)
    throw new CliError(exitCodes.usage, 'Give --since or --from, not both.')
  const given = {
    ...flags,
    ...(since === undefined ? {} : { from: new Date(Date.now() - spanOf(since)).toISOString() }),
  }
  const filter = Object.fromEntries(Object.entries(given).filter(([name]) => name in EventFilter.shape))
  const checked = EventFilter.safeParse(filter)
  // The hub reads the texts themselves.
  if (checked.success) return filter
  const [issue] = checked.error.issues
  throw new CliError(exitCodes.usage, `--${flagOf(String(issue?.path[0]))}: ${issue?.message}`)
}

function spanOf(text: string): number {
  const match = /^(\d{1,6})(s|m|h|d)$/.exec(text)
  if (match === null)
    throw new CliError(exitCodes.usage, `--since needs a time such as 30s, 10m, 2h or 7d, not '${text}'.`)
  return Number(match[1]) * units[match[2] as keyof typeof units]
}

function flagOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const eventHeads = ['TIME', 'KIND', 'OUTCOME', 'MS', 'SERVER', 'CONNECTOR', 'WHAT', 'WHO', 'TRACE']

/** One event as cells of a table. */
function describeEvent(event: EventView): string[] {
  return [
    event.at,
    event.kind,
    event.outcome ?? '-',
    event.ms === undefined ? '-' : formatMs(event.ms),
    event.server ?? '-',
    event.connector ?? '-',
    describeWhat(event),
    event.principal ?? '-',
    event.traceId ?? '-',
  ]
}

/** What was asked for, or what the event itself says. */
export function describeWhat({ method, target, data }: EventView): string {
  const asked = [method, target].filter((each) => each !== undefined).join(' ')
  const said = Object.keys(data).length === 0 ? '' : shorten(JSON.stringify(data))
  return oneLine([asked, said].filter((each) => each !== '').join(' ')) || '-'
}

export function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms))
}

const maxShown = 120

function shorten(text: string): string {
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`
}
