import type { EventView } from '@herma/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { api } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Input } from '../../ui/form/field.tsx'
import { formatTime } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Failure } from '../../ui/page/page-state.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'

const pageSize = 25

/** Changes, sign-ins and refusals, newest first. */
export function AuditSection() {
  const { audit = '' } = useSearch({ from: '/settings' })
  const navigate = useNavigate({ from: '/settings' })
  const text = useDeferredValue(audit.trim())
  const log = useInfiniteQuery({
    queryKey: ['traces', 'audit', text],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => api.listAudit(toQuery(text, pageParam), { signal }),
    getNextPageParam: (page) => page.next,
  })
  const events = log.data?.pages.flatMap((page) => page.events) ?? []
  return (
    <Card
      title="Audit log"
      hint="Who changed what, who signed in, and what was refused."
      actions={
        <div className="w-full sm:w-56">
          <Input
            type="search"
            aria-label="Filter the audit log"
            placeholder="Filter"
            value={audit}
            onChange={(event) =>
              void navigate({
                search: event.target.value === '' ? {} : { audit: event.target.value },
                hash: true,
                replace: true,
                resetScroll: false,
              })
            }
          />
        </div>
      }
    >
      {log.error !== null && (
        <Failure title="Cannot show the audit log." error={log.error} onRetry={() => void log.refetch()} />
      )}
      {events.length === 0 && !log.isPending && log.error === null && (
        <p className="px-4 py-3 text-ink-2">{text === '' ? 'Nothing was recorded yet.' : 'Nothing matches.'}</p>
      )}
      <ul aria-label="Audit log" className="divide-y divide-line">
        {events.map((event) => (
          <AuditRow key={event.id} event={event} />
        ))}
      </ul>
      {log.hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <Button size="sm" pending={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Show older
          </Button>
        </div>
      )}
    </Card>
  )
}

function AuditRow({ event }: { event: EventView }) {
  const { at, kind, principal, connector, target, outcome, data } = event
  const about = target ?? connector ?? findName(data)
  return (
    <li>
      <details className="group">
        <summary className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 px-4 py-1.5 text-sm -outline-offset-2 hover:bg-well pointer-coarse:py-3 sm:grid-cols-[9rem_minmax(0,14rem)_minmax(0,1fr)_minmax(0,10rem)]">
          <time dateTime={at} className="tnum order-1 text-right text-ink-3 sm:order-none sm:text-left">
            {formatTime(at)}
          </time>
          <span className="font-medium">
            <StatusDot tone={outcome === 'refused' || kind.endsWith('.refused') ? 'warn' : 'off'}>{kind}</StatusDot>
          </span>
          <span className="order-2 min-w-0 truncate font-mono sm:order-none">{about}</span>
          <span className="order-3 min-w-0 truncate text-right text-ink-2 sm:order-none sm:text-left">{principal}</span>
        </summary>
        <div className="px-4 pt-1 pb-3">
          <JsonBox value={event} label="the entry" />
        </div>
      </details>
    </li>
  )
}

/** What most entries are about has one of these names. */
function findName(data: EventView['data']): string {
  const found = ['name', 'user', 'server', 'session', 'team', 'rule', 'route', 'why'].map((key) => data[key])
  return found.find((value) => typeof value === 'string') ?? ''
}

function toQuery(text: string, cursor: string | null) {
  // A kind has a dot, as in key.added; all else is looked for in what was recorded.
  const isKind = /^[a-z-]+\.[a-z*-]+$/.test(text)
  const wanted = text === '' ? {} : isKind ? { kind: text } : { text }
  return { limit: pageSize, ...wanted, cursor: cursor ?? undefined }
}
