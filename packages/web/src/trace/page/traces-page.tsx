import type { EventView } from '@herma/contract'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { rawApi } from '../../api/client.ts'
import { useMay, useMe } from '../../api/me.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { formatTime } from '../../ui/format.ts'
import { JsonBox } from '../../ui/json-box.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Empty, Failure, Loading } from '../../ui/page/page-state.tsx'
import { Page } from '../../ui/page/page.tsx'
import { useShortcuts } from '../../ui/page/shortcuts.ts'
import { TracePanel } from '../detail/trace-panel.tsx'
import { DownloadDialog } from '../download-dialog.tsx'
import { useCallFeed } from '../list/call-feed.ts'
import { CallTable, type CallTableHandle } from '../list/call-table.tsx'
import { FilterBar } from '../list/filter-bar.tsx'
import { FirstCall } from '../list/first-call.tsx'
import { LiveSwitch } from '../list/live-switch.tsx'
import { filterOf } from '../trace-filter.ts'
import type { TraceSearch } from '../trace-search.ts'
import { CompareView } from './compare-view.tsx'

const route = getRouteApi('/traces')

/** What happened: every call, live, and each of them in detail. */
export default function TracesPage() {
  const isKnown = useMe().data !== undefined
  const isAllowed = useMay('admin')
  if (isAllowed) return <Traces />
  return (
    <Page title="Traces">
      {isKnown ? (
        <Empty title="Only owners and admins see traces">
          They tell what others said to their tools. Ask an owner of this hub for the role of an admin.
        </Empty>
      ) : (
        <Loading what="who you are" />
      )}
    </Page>
  )
}

function Traces() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const filter = useMemo(() => filterOf(search), [search])
  const { feed, view } = useCallFeed(filter)
  const [isPaused, setPaused] = useState(false)
  const [isAtTop, setAtTop] = useState(true)
  const [isDownloading, setDownloading] = useState(false)
  const [event, setEvent] = useState<EventView | null>(null)
  const table = useRef<CallTableHandle>(null)
  useEffect(() => feed.follow(!isPaused && isAtTop), [feed, isPaused, isAtTop])
  const go = useCallback(
    (part: TraceSearch, options: { replace?: boolean } = {}) =>
      void navigate({
        to: '/traces',
        search: (last: TraceSearch) => ({ ...last, ...part }),
        ...options,
      }),
    [navigate],
  )
  const hasTrace = search.trace !== undefined
  const open = useCallback(
    (row: EventView) => (row.traceId === undefined ? setEvent(row) : go({ trace: row.traceId }, { replace: hasTrace })),
    [go, hasTrace],
  )
  const close = () => {
    const { trace } = search
    go({ trace: undefined, compare: undefined })
    // The list comes back with the next paint.
    if (trace !== undefined) requestAnimationFrame(() => table.current?.focusTrace(trace))
  }
  useShortcuts({ Escape: close }, hasTrace)
  const loadOlder = useCallback(() => void feed.loadOlder(), [feed])

  if (search.trace !== undefined && search.compare !== undefined)
    return (
      <Page
        title="Compare traces"
        width="wide"
        above={[{ label: 'Traces', to: '/traces' }]}
        className={cn(frame, 'grid-rows-[auto_minmax(0,1fr)]')}
      >
        <CompareView
          ids={[search.trace, search.compare]}
          onClose={() => go({ compare: undefined })}
          onOpen={(trace) => go({ trace, compare: undefined })}
        />
      </Page>
    )
  return (
    <Page title="Traces" width="wide" className={cn(frame, 'grid-rows-[auto_auto_minmax(0,1fr)]')}>
      <div className={cn(hasTrace && 'max-lg:hidden')}>
        <FilterBar search={search} known={(name) => knownValues(view.rows, name)}>
          {search.to === undefined && <LiveSwitch isLive={view.isLive} isPaused={isPaused} onChange={setPaused} />}
          <Button onClick={() => setDownloading(true)}>
            <Download aria-hidden />
            <span className="max-sm:sr-only">Download</span>
          </Button>
        </FilterBar>
      </div>
      <div
        className={cn(
          'grid min-h-0 grid-cols-[minmax(0,1fr)] gap-4',
          hasTrace && 'lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)] 2xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]',
        )}
      >
        <div className={cn('relative flex min-h-0 min-w-0 flex-col gap-2', hasTrace && 'max-lg:hidden')}>
          {view.error !== null && (
            <Failure title="The calls could not be asked for." error={view.error} onRetry={() => void feed.refresh()} />
          )}
          {view.skipped > 0 && (
            <p className="text-sm text-ink-3">
              {view.skipped.toLocaleString()} came too fast to be shown here. They are recorded: reload to see them.
            </p>
          )}
          {view.rows.length > 0 && (
            <CallTable
              ref={table}
              view={view}
              search={search}
              onOpen={open}
              onTopChange={setAtTop}
              onEnd={loadOlder}
              onOlder={(to) => go({ to })}
            />
          )}
          {view.rows.length === 0 && !view.isReady && view.error === null && <Loading what="the calls" />}
          {view.rows.length === 0 && view.isReady && (
            <FirstCall isFiltered={isFiltered(search)} onClear={() => void navigate({ to: '/traces', search: {} })} />
          )}
          {view.waiting.length > 0 && (
            <Button
              variant="primary"
              size="sm"
              className="absolute top-11 left-1/2 -translate-x-1/2 shadow-pop"
              onClick={() => {
                setPaused(false)
                table.current?.toTop()
              }}
            >
              {view.waiting.length.toLocaleString()} new
            </Button>
          )}
        </div>
        {search.trace !== undefined && <TracePanel traceId={search.trace} onClose={close} />}
      </div>
      {isDownloading && (
        <DownloadDialog
          title="Download what is filtered"
          hint="The newest 10,000 events that match, as one file."
          load={(format, options) => rawApi.downloadTraces({ ...filter, format }, options)}
          onClose={() => setDownloading(false)}
        />
      )}
      {event !== null && <EventDialog event={event} onClose={() => setEvent(null)} />}
    </Page>
  )
}

/** As high as the window: the list and the trace scroll in themselves. */
const frame = 'h-[calc(100dvh-3rem)] min-h-140 content-stretch gap-3 pb-4'

function isFiltered({ trace: _, compare: __, ...filter }: TraceSearch): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

const maxKnown = 50

/** Values of a field that are in the list, for those who do not know them by heart. */
function knownValues(rows: readonly EventView[], name: string): string[] {
  const values = rows.slice(0, 1000).flatMap((row) => {
    const value = row[name as keyof EventView]
    return typeof value === 'string' ? [value] : []
  })
  return [...new Set(values)].slice(0, maxKnown)
}

/** An event that belongs to no trace, such as the start of the hub. */
function EventDialog({ event, onClose }: { event: EventView; onClose: () => void }) {
  return (
    <Dialog isOpen title={event.kind} hint={formatTime(event.at)} onClose={onClose}>
      <div className="p-4">
        <JsonBox value={event} label="the event" file={`event-${event.id}.json`} />
      </div>
    </Dialog>
  )
}
