import type { EventView, Trace } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { count } from '../../format-quantity.ts'
import { formatTable } from '../../format-table.ts'
import { describeWhat, formatMs } from './describe-event.ts'

const barWidth = 24

export function showCommand(cli: Cli): Command {
  return new Command('show')
    .description('show one trace: what happened, in order, and how long it took')
    .argument('<trace>', 'id of the trace, as herma traces list shows it')
    .option('--data', 'print what each event says, whole')
    .action(async (traceId: string, { data }: { data?: boolean }) => {
      const hub = await connectHub(cli)
      const trace = await hub.send<Trace>('GET', `/api/traces/${encodeURIComponent(traceId)}`)
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
