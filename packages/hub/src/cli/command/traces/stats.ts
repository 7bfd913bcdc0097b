import type { TraceStats } from '@herma/contract'
import { Command } from 'commander'

import { type Cli, connectHub } from '../../cli.ts'
import { formatBytes } from '../../format-quantity.ts'
import { formatFields } from '../../format-table.ts'

export function statsCommand(cli: Cli): Command {
  return new Command('stats')
    .description('how recording is doing: what was written, lost and kept')
    .action(async () => {
      const hub = await connectHub(cli)
      const stats = await hub.send<TraceStats>('GET', '/api/traces/stats')
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
