import type { BufferBudget, BufferLimits } from '@herma/framework/wire'
import type { Metric } from './metrics.ts'

/** What waits in memory for clients to read it, and what was done about it. */
export function bufferMetrics(budget: BufferBudget): Metric[] {
  const byScope = (values: BufferLimits) =>
    (['client', 'principal', 'hub'] as const).map((of) => ({ labels: { of }, value: values[of] }))
  return [
    {
      name: 'buffered_bytes',
      help: 'Bytes that wait in memory: of the client and of the principal with most of them, and of all.',
      kind: 'gauge',
      read: () => byScope(budget.figures.bytes),
    },
    {
      name: 'buffer_limit_bytes',
      help: 'Bytes that may wait before clients that take nothing are cut off.',
      kind: 'gauge',
      read: () => byScope(budget.limits),
    },
    {
      name: 'slow_readers',
      help: 'Responses of which bytes wait for their client.',
      kind: 'gauge',
      read: () => budget.figures.slowReaders,
    },
    {
      name: 'paused_reads',
      help: 'Servers and clients that are not read from until there is room.',
      kind: 'gauge',
      read: () => budget.figures.pausedReads,
    },
    {
      name: 'clients_cut_total',
      help: 'Responses cut off because their client took nothing while the room was used up.',
      kind: 'counter',
      read: () => byScope(budget.figures.cuts),
    },
  ]
}
