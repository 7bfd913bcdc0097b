import type { EventView, LatencyLine, LatencyReport, LatencySummary, Trace, TraceStats } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../../terminal/clean-text.ts'
import type { Cli } from '../../terminal/cli.ts'
import { connectHub } from '../../hub/connect-hub.ts'
import { CliError, exitCodes } from '../../terminal/exit-codes.ts'
import { wholeNumber } from '../../flag/whole-number.ts'
import { count, formatBytes } from '../../terminal/format-quantity.ts'
import { formatFields, formatTable } from '../../terminal/format-table.ts'
import { compareCommand } from './compare.ts'
import { describeWhat, exportCommand, formatMs, listCommand, tailCommand } from './events.ts'
import { replayCommand } from './replay.ts'
import { captureCommand, settingsCommand } from './settings.ts'

/** In the order of `herma traces --help`. */
const commands = [
  listCommand,
  tailCommand,
  showCommand,
  compareCommand,
  exportCommand,
  replayCommand,
  captureCommand,
  latencyCommand,
  settingsCommand,
  statsCommand,
]

export function tracesCommand(cli: Cli): Command {
  const traces = new Command('traces')
    .description('see what happened: calls, messages, refusals; export and replay them')
    .addHelpText('after', `\n${examples}`)
  for (const create of commands) traces.addCommand(create(cli))
  return traces
}

const examples = `Examples:
  herma traces list --outcome error --since 1h     what failed in the last hour
  herma traces tail --server facade                calls as they happen
  herma traces latency --connector files           how long its calls took
  herma traces capture facade --level bodies       record arguments and results from now on
  herma traces show 4bf92f3577b34da6a3ce929d0e0e4736
  herma traces compare TRACE OTHER                 two of them, field by field
  herma traces export TRACE --format claude        as a transcript of Claude Code
  herma traces replay TRACE --server staging       the same call again, and what differs`

const barWidth = 24

function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one trace: what happened, in order, and how long it took')
    .argument('<trace>', 'id of the trace, as herma traces list shows it')
    .option('--data', 'print what each event says, whole')
    .action(async (traceId: string, { data }: { data?: boolean }) => {
      const { api } = await connectHub(cli)
      const trace = await api.getTrace({ traceId })
      cli.terminal.answer(trace, () => (data ? describeData(trace) : describeWaterfall(cli, trace)))
    })
}

/** Each event on a line, with a bar for the time that it took. */
function describeWaterfall({ terminal }: Cli, { traceId, events, isWhole }: Trace): string {
  // What took time stands above what happened in it.
  const sorted = events.toSorted(
    (a, b) => beginOf(a) - beginOf(b) || (b.ms ?? -1) - (a.ms ?? -1) || Number(BigInt(a.id) - BigInt(b.id)),
  )
  const begin = Math.min(...sorted.map(beginOf))
  const totalMs = Math.max(...sorted.map((event) => beginOf(event) + (event.ms ?? 0))) - begin
  const rows = sorted.map((event) => [
    `+${formatMs(beginOf(event) - begin)}`,
    drawBar(event, begin, totalMs),
    event.ms === undefined ? '' : `${formatMs(event.ms)} ms`,
    event.kind,
    event.outcome ?? '',
    event.connector ?? event.server ?? '',
    describeWhat(event),
  ])
  const [first] = sorted
  const who = first?.principal === undefined ? '' : ` of ${first.principal}`
  const head = `Trace ${traceId}${who}: ${count(events.length, 'event')} in ${formatMs(totalMs)} ms, from ${first?.at}`
  const rest = isWhole ? '' : '\n\nThere are more events than are shown.'
  return `${head}\n\n${formatTable(rows, terminal.columns)}${rest}`
}

function drawBar(event: EventView, begin: number, totalMs: number): string {
  const at = (ms: number) => (totalMs <= 0 ? 0 : Math.min(barWidth - 1, Math.floor((ms / totalMs) * barWidth)))
  const from = at(beginOf(event) - begin)
  if (event.ms === undefined) return `${'.'.repeat(from)}|${'.'.repeat(barWidth - from - 1)}`
  const to = Math.max(from, at(beginOf(event) - begin + event.ms))
  return '.'.repeat(from) + '='.repeat(to - from + 1) + '.'.repeat(barWidth - to - 1)
}

function describeData({ events }: Trace): string {
  return events
    .map(
      ({ at, kind, data, ...event }) =>
        `${at}  ${kind}  ${describeWhat({ at, kind, ...event, data: {} })}\n${indent(data)}`,
    )
    .join('\n')
}

function indent(data: EventView['data']): string {
  return JSON.stringify(data, null, 2).replaceAll(/^/gm, '  ')
}

function beginOf({ at }: EventView): number {
  return Date.parse(at)
}

interface Flags {
  readonly connector?: string
  readonly server?: string
  readonly session?: string
  readonly minutes: number
}

function latencyCommand(cli: Cli): Command {
  return new Command('latency')
    .description('how long calls took, of all or of one')
    .option('--connector <name>', 'the calls of this connector')
    .option('--server <name>', 'the calls of this served server')
    .option('--session <name>', 'the turns of this session')
    .option('--minutes <number>', 'how far back', wholeNumber('--minutes', 10_080), 60)
    .action(async ({ minutes, connector, server, session }: Flags) => {
      // Other flags, such as --json, are here too.
      const named = [connector, server, session].filter((name) => name !== undefined)
      if (named.length > 1) throw new CliError(exitCodes.usage, 'Name one of --connector, --server and --session.')
      const { api } = await connectHub(cli)
      if (named.length === 0) {
        const summary = await api.getLatencySummary({ minutes })
        return cli.terminal.answer(summary, () => describeSummary(cli, summary))
      }
      const report = await api.getLatencies({ connector, server, session, minutes })
      cli.terminal.answer(report, () => describeReport(report))
    })
}

function describeSummary({ terminal }: Cli, { connectors, servers }: LatencySummary): string {
  const rows = (kind: string, lines: readonly LatencyLine[]) =>
    lines.map((line) => [kind, line.name, String(line.count), String(line.errors), showMs(line.p50), showMs(line.p95)])
  const head = ['KIND', 'NAME', 'CALLS', 'FAILED', 'P50', 'P95']
  return formatTable([head, ...rows('connector', connectors), ...rows('server', servers)], terminal.columns)
}

function describeReport({ from, to, total, lastError }: LatencyReport): string {
  return formatFields([
    ['Between', `${from} and ${to}`],
    ['Calls', `${total.count}, ${total.errors} failed`],
    ['Half within', showMs(total.p50)],
    ['95 % within', showMs(total.p95)],
    ['99 % within', showMs(total.p99)],
    ['Last error', lastError === null ? 'none' : `${lastError.at} ${cleanText(lastError.message)}`],
    ...(lastError?.traceId == null ? [] : [['', `herma traces show ${lastError.traceId}`] as const]),
  ])
}

function showMs(ms: number | null): string {
  return ms === null ? '-' : `${ms} ms`
}

function statsCommand(cli: Cli): Command {
  return new Command('stats')
    .description('how recording is doing: what was written, lost and kept')
    .action(async () => {
      const { api } = await connectHub(cli)
      const stats = await api.getTraceStats()
      cli.terminal.answer(stats, () => describeStats(stats))
    })
}

function describeStats({ events, audit, kept, tails, otlp }: TraceStats): string {
  return formatFields([
    ['Events', describeCounts(events)],
    ['Audit log', describeCounts(audit)],
    ['Kept', `${formatBytes(kept.bytes)} in ${kept.partitions} partitions, since ${kept.since ?? 'now'}`],
    ['Audit kept', formatBytes(kept.auditBytes)],
    ['Tails', String(tails)],
    ['Collector', otlp === null ? 'none' : `${otlp.sent} sent, ${otlp.dropped} dropped, ${otlp.queued} waiting`],
    ...(otlp?.lastError ? ([['', `${otlp.lastError.at} ${otlp.lastError.message}`]] as const) : []),
  ])
}

function describeCounts({ written, dropped, queued, lastError }: TraceStats['events']): string {
  const counts = `${written} written, ${dropped} dropped, ${queued} waiting, since the hub started`
  return lastError === null ? counts : `${counts}\n${lastError.at} ${lastError.message}`
}
