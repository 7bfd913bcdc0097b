import type { EventView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { formatMs } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Failure, Loading } from '../../ui/page/page-state.tsx'
import { StatusDot, type Tone } from '../../ui/status-dot.tsx'

/** Everything that was recorded of one turn, in order. */
export function TracePanel({ traceId }: { traceId: string }) {
  const query = useQuery({
    queryKey: ['traces', traceId],
    queryFn: ({ signal }) => api.getTrace({ traceId }, { signal }),
  })
  const isEmpty = query.error instanceof ApiProblem && query.error.code === 'TRACE_NOT_FOUND'
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-ink-3">
        <span className="truncate font-mono" title={traceId}>
          {traceId.slice(0, 8)}
        </span>
        <Link to="/traces" search={{ trace: traceId }} className="text-accent-text underline">
          Open in traces
        </Link>
      </p>
      {isEmpty && query.data === undefined && <p className="text-ink-2">Nothing of it is recorded so far.</p>}
      {query.data === undefined && query.error !== null && !isEmpty && (
        <Failure title="Cannot show the trace." error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && query.error === null && <Loading what="the trace" />}
      {query.data !== undefined && <Events events={query.data.events} isWhole={query.data.isWhole} />}
    </div>
  )
}

function Events({ events, isWhole }: { events: readonly EventView[]; isWhole: boolean }) {
  const begin = Date.parse(events[0]?.at ?? '')
  return (
    <ol
      aria-label="Events of the trace"
      className="grid grid-cols-[minmax(0,1fr)] divide-y divide-line border-y border-line"
    >
      {events.map((event) => (
        <li key={event.id} className="min-w-0">
          <Entry event={event} afterMs={Date.parse(event.at) - begin} />
        </li>
      ))}
      {!isWhole && <li className="py-2 text-sm text-ink-3">There are more. Open it in traces to see all.</li>}
    </ol>
  )
}

function Entry({ event, afterMs }: { event: EventView; afterMs: number }) {
  return (
    <details className="group">
      <summary className="grid cursor-pointer list-none grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-2 rounded-sm py-1.5 text-sm hover:bg-well pointer-coarse:min-h-11">
        <ChevronRight className="mt-0.5 size-3.5 text-ink-3 group-open:rotate-90" aria-hidden />
        <span className="grid min-w-0">
          <span className="truncate">
            {event.kind}
            {event.connector !== null && <span className="text-ink-3"> · {event.connector}</span>}
          </span>
          {event.target !== undefined && <span className="truncate font-mono text-ink-2">{event.target}</span>}
        </span>
        <span className="tnum grid justify-items-end text-ink-3">
          <span>{event.ms === undefined ? `+${formatMs(afterMs)}` : formatMs(event.ms)}</span>
          {event.outcome !== undefined && <StatusDot tone={tones[event.outcome]}>{event.outcome}</StatusDot>}
        </span>
      </summary>
      <div className="pb-2.5">
        <JsonBox value={event} label={`the event ${event.kind}`} />
      </div>
    </details>
  )
}

const tones = {
  ok: 'ok',
  'tool-error': 'bad',
  error: 'bad',
  refused: 'warn',
  cancelled: 'off',
} as const satisfies Record<NonNullable<EventView['outcome']>, Tone>
