import type { LatencyLine, LatencyReport, LatencySummary } from '@herma/contract'
import { Command } from 'commander'

import { cleanText } from '../../clean-text.ts'
import { type Cli, connectHub } from '../../cli.ts'
import { CliError, exitCodes } from '../../exit-codes.ts'
import { formatFields, formatTable } from '../../format-table.ts'
import { wholeNumber } from '../catalog/whole-number.ts'

interface Flags {
  readonly connector?: string
  readonly server?: string
  readonly session?: string
  readonly minutes: number
}

export function latencyCommand(cli: Cli): Command {
  return new Command('latency')
    .description('how long calls took, of all or of one')
    .option('--connector <name>', 'the calls of this connector')
    .option('--server <name>', 'the calls of this served server')
    .option('--session <name>', 'the turns of this session')
    .option('--minutes <number>', 'how far back', wholeNumber('--minutes', 10_080), 60)
    .action(async ({ minutes, ...flags }: Flags) => {
      const named = Object.entries(flags)
      if (named.length > 1) throw new CliError(exitCodes.usage, 'Name one of --connector, --server and --session.')
      const hub = await connectHub(cli)
      if (named.length === 0) {
        const summary = await hub.send<LatencySummary>('GET', `/api/latencies/summary?minutes=${minutes}`)
        return cli.terminal.answer(summary, () => describeSummary(cli, summary))
      }
      const query = new URLSearchParams({ ...flags, minutes: String(minutes) })
      const report = await hub.send<LatencyReport>('GET', `/api/latencies?${query.toString()}`)
      cli.terminal.answer(report, () => describeReport(report))
    })
}

function describeSummary({ terminal }: Cli, { connectors, servers }: LatencySummary): string {
  const rows = (kind: string, lines: readonly LatencyLine[]) =>
    lines.map(({ name, count, errors, p50, p95 }) => [
      kind,
      name,
      String(count),
      String(errors),
      showMs(p50),
      showMs(p95),
    ])
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
