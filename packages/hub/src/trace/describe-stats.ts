import type { TraceStats } from '@herma/contract'
import type { BatchWriterStats } from '../platform/store/batch-writer.ts'
import type { TraceOptions } from './trace-metrics.ts'

/** How recording is doing, for a person. */
export function describeStats(parts: TraceOptions, hasCollector: boolean): TraceStats {
  const { writer, audit, retention, auditRetention, tail, pusher } = parts
  const { bytes, partitions, since } = retention.kept
  const { lastError, ...sent } = pusher.stats()
  return {
    events: countsOf(writer.stats()),
    audit: countsOf(audit.stats()),
    kept: {
      bytes,
      auditBytes: auditRetention.kept.bytes,
      partitions,
      since: since === null ? null : new Date(since).toISOString(),
    },
    tails: tail.size,
    otlp: hasCollector ? { ...sent, lastError: failureOf(lastError) } : null,
  }
}

function countsOf({ written, dropped, queued, lastError }: BatchWriterStats): TraceStats['events'] {
  return { written, dropped, queued, lastError: failureOf(lastError) }
}

function failureOf(failure: { at: Date; message: string } | null): { at: string; message: string } | null {
  return failure && { at: failure.at.toISOString(), message: failure.message }
}
