import type { EventView } from '@herma/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { useMay } from '../api/me.ts'
import { formatMs, formatTime } from '../ui/format.ts'
import { Loaded } from '../ui/page/page-state.tsx'
import { askedOf, nameOf } from './describe-event.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { filterOf } from './trace-filter.ts'
import type { TraceSearch } from './trace-search.ts'

interface RecentCallsProps {
  /** As in the address of the traces page. */
  readonly filter?: TraceSearch
  readonly limit?: number
  /** Whether it shows calls as they happen. */
  readonly live?: boolean
}

/** The last calls, each with a link to its trace. For those who may not see them it says so. */
export function RecentCalls({ filter = {}, limit = 8, live = true }: RecentCallsProps) {
  const query = { ...filterOf(filter), limit }
  const isAllowed = useMay('admin')
  const calls = useQuery({
    // The topic of the first part says when to ask again.
    queryKey: [live ? 'traces' : 'recent-calls', 'recent', query],
    queryFn: async ({ signal }) => (await api.listTraces(query, { signal })).events,
    enabled: isAllowed,
  })
  if (!isAllowed) return <p className="px-4 py-3 text-ink-3">Only owners and admins see calls.</p>
  return (
    <Loaded query={calls} what="the last calls">
      {(events) =>
        events.length === 0 ? (
          <p className="px-4 py-3 text-ink-3">No calls yet. They appear here as clients make them.</p>
        ) : (
          <ul className="divide-y divide-line">
            {events.map((event) => (
              <CallLine key={event.id} event={event} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function CallLine({ event }: { event: EventView }) {
  return (
    <li className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2 hover:bg-well sm:grid-cols-[4.5rem_6.5rem_minmax(0,1fr)_auto]">
      <time dateTime={event.at} className="tnum hidden text-sm text-ink-3 sm:block">
        {formatTime(event.at)}
      </time>
      <span className="hidden text-sm sm:block">
        <OutcomeMark event={event} />
      </span>
      <Link
        to="/traces"
        search={{ trace: event.traceId }}
        className="min-w-0 truncate rounded-sm after:absolute after:inset-0"
      >
        <span className="text-ink-3">{askedOf(event)} </span>
        <span className="font-mono text-sm">{nameOf(event)}</span>
        {event.outcome !== 'ok' && <span className="sr-only">, {event.outcome}</span>}
      </Link>
      <span className="tnum text-sm text-ink-2">{formatMs(event.ms)}</span>
      {event.outcome !== 'ok' && (
        <span className="text-sm sm:hidden">
          <OutcomeMark event={event} />
        </span>
      )}
    </li>
  )
}
