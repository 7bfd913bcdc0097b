import type { Metric } from '../platform/metric/metrics.ts'
import type { AuditLog } from './record/audit-log.ts'
import type { EventWriter } from './record/event-writer.ts'
import type { Recorder } from './record/recorder.ts'
import type { OtlpPusher } from './otlp/otlp-pusher.ts'
import type { Retention } from './retention/retention.ts'
import type { Tail } from './tail.ts'

export interface TraceOptions {
  readonly recorder: Recorder
  readonly writer: EventWriter
  readonly audit: AuditLog
  readonly tail: Tail
  readonly retention: Retention
  readonly auditRetention: Retention
  readonly pusher: OtlpPusher
}

/** What recording tells about itself. */
export function traceMetrics({
  recorder,
  writer,
  audit,
  tail,
  retention,
  auditRetention,
  pusher,
}: TraceOptions): Metric[] {
  const gauge = (name: string, help: string, read: () => number): Metric => ({ name, help, kind: 'gauge', read })
  const counter = (name: string, help: string, read: () => number): Metric => ({ name, help, kind: 'counter', read })
  return [
    counter('events_written_total', 'Events that are stored.', () => writer.stats().written),
    counter('events_dropped_total', 'Events lost because the store was too slow.', () => writer.stats().dropped),
    {
      name: 'events_limited_total',
      help: 'Events that servers caused beyond their limit of a minute, by connector.',
      kind: 'counter',
      read: () => [...recorder.limit.total].map(([connector, value]) => ({ labels: { connector }, value })),
    },
    gauge('events_queued', 'Events on their way to the store.', () => writer.stats().queued),
    gauge('events_kept_bytes', 'Room that stored events take.', () => retention.kept.bytes),
    gauge('event_partitions', 'Partitions of stored events.', () => retention.kept.partitions),
    counter('event_partitions_dropped_total', 'Partitions that were too old.', () => retention.droppedPartitions),
    counter('audit_events_written_total', 'Entries of the audit log that are stored.', () => audit.stats().written),
    counter('audit_events_dropped_total', 'Entries of the audit log that were lost.', () => audit.stats().dropped),
    gauge('audit_kept_bytes', 'Room that the audit log takes.', () => auditRetention.kept.bytes),
    gauge('tail_listeners', 'Listeners of the live tail.', () => tail.size),
    counter('tail_skipped_total', 'Events that slow listeners did not see.', () => tail.skipped),
    counter('otlp_sent_total', 'Spans that the collector took.', () => pusher.stats().sent),
    counter('otlp_dropped_total', 'Spans that it never got.', () => pusher.stats().dropped),
    gauge('otlp_queued', 'Spans on their way to the collector.', () => pusher.stats().queued),
  ]
}
